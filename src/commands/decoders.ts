import { RedisError } from "../errors.js";
import { TextBulk } from "../protocol/bytes.js";
import { integer, MalformedReply } from "../protocol/malformed.js";
import { type Bulk, ErrorReply, type RawReply } from "../protocol/reply.js";
import type { Decoder } from "./spec.js";

// A reply of another kind than the command gives is an error, never a value: something between changed it.
function unexpected(wanted: string): never {
  throw new MalformedReply(`the reply is not ${wanted}`);
}

function isBulk(reply: RawReply): reply is Bulk {
  return (reply as Partial<Bulk> | null)?.bytes !== undefined;
}

/** Text as Redis has it, never parsed: a key, a field, an id, a cursor, a status. */
export const text = (reply: RawReply): string =>
  typeof reply === "string" ? reply : isBulk(reply) ? reply.text() : unexpected("text");

/** An integer: a number, or its digits where a number would round it. */
export const int = (reply: RawReply): number | string =>
  Number.isSafeInteger(reply)
    ? (reply as number)
    : integer(typeof reply === "number" ? `${reply}` : text(reply));

/** An integer as text, for what grows beyond a number's precision. */
export const digits = (reply: RawReply): string => String(int(reply));

/** A floating-point number, which Redis sends as text. */
export const float = (reply: RawReply): number => {
  if (typeof reply === "number") return reply;
  const shown = text(reply);
  const value = Number(shown.replace(/inf$/i, "Infinity"));
  return shown === "" || (Number.isNaN(value) && !/^-?nan$/i.test(shown)) ? unexpected("a number") : value;
};

/** Whether a reply is text of any kind. */
export const isText = (reply: RawReply): boolean => typeof reply === "string" || isBulk(reply);

const bulk = (reply: RawReply): Bulk => (isBulk(reply) ? reply : new TextBulk(text(reply)));

/** A stored value, through the codec. */
export const value: Decoder = (reply, decode) => decode(bulk(reply));

/** Bytes as they are stored, whatever the codec. */
export const bytes = (reply: RawReply): Uint8Array => bulk(reply).bytes();

/** Decodes the result of a script or function: stored values, integers and nulls in arrays of any depth. */
export const nested: Decoder = (reply, decode, args) => {
  if (reply === null || typeof reply === "number") return reply;
  if (Array.isArray(reply)) return reply.map((item) => nested(item, decode, args));
  if (reply instanceof ErrorReply) return new RedisError(reply.message, {});
  return typeof reply === "string" && /^-?\d+$/.test(reply) ? reply : value(reply, decode, args);
};

/** Decodes a nested reply whose texts are names, ids and statuses. */
export const nestedText: Decoder = (reply, _decode, args) => nested(reply, (bulk) => bulk.text(), args);

/** Returns null for a null reply, else the result of `decoder`. */
export const orNull =
  (decoder: Decoder): Decoder =>
  (reply, decode, args) =>
    reply === null ? null : decoder(reply, decode, args);

function items(reply: RawReply): RawReply[] {
  return Array.isArray(reply) ? reply : unexpected("an array");
}

/** An array of one kind of thing. */
export const list =
  (decoder: Decoder) =>
  (...[reply, decode, args]: Parameters<Decoder>): any[] =>
    items(reply).map((item) => decoder(item, decode, args));

/** An array of alternating kinds, such as member and score. It stays flat. */
export const alternating =
  (...decoders: Decoder[]) =>
  (...[reply, decode, args]: Parameters<Decoder>): any[] => {
    const all = items(reply);
    if (all.length % decoders.length) unexpected("whole groups");
    return all.map((item, i) => decoders[i % decoders.length]!(item, decode, args));
  };

/** An array of fixed length, each place with a kind of its own. */
export const tuple =
  (...decoders: Decoder[]) =>
  (...reply: Parameters<Decoder>): any[] =>
    items(reply[0]).length === decoders.length
      ? alternating(...decoders)(...reply)
      : unexpected(`an array of ${decoders.length}`);

/** A flat array of alternating kinds, as an array for each group. */
export const groups =
  (...decoders: Decoder[]) =>
  (...reply: Parameters<Decoder>): any[][] => {
    const flat = alternating(...decoders)(...reply);
    const all: any[][] = [];
    for (let i = 0; i < flat.length; i += decoders.length) all.push(flat.slice(i, i + decoders.length));
    return all;
  };

/** A flat array of names and things, as an object. */
export const object =
  (decoder: Decoder) =>
  (...reply: Parameters<Decoder>): Record<string, any> =>
    Object.fromEntries(groups(text, decoder)(...reply) as [string, unknown][]);

/** Things as an object, by their names. */
export const zip = (names: readonly unknown[], things: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name, i) => [name, things[i]]));

/** The parts of an object: their names, and the kind of each. */
type Parts = Readonly<Record<string, Decoder>>;

/** A flat array of alternating kinds, as an object for each group. */
export const records =
  (parts: Parts) =>
  (...reply: Parameters<Decoder>): Record<string, any>[] =>
    groups(...Object.values(parts))(...reply).map((group) => zip(Object.keys(parts), group));

/** An array of fixed length, as an object. */
export const struct =
  (parts: Parts): Decoder =>
  (...reply) =>
    zip(Object.keys(parts), tuple(...Object.values(parts))(...reply));

/** A part of an object, and the option that requests it, unless it is always there. */
export type Part = readonly [name: string, decoder: Decoder, option?: string];

/** The parts that are there under these options. */
export const partsOf = (options: Record<string, unknown> | undefined, parts: readonly Part[]): Parts =>
  Object.fromEntries(parts.filter(([, , option]) => !option || options?.[option]));

/** An object without what is null, its names as JavaScript writes them. */
export const camel = (given: Record<string, unknown>): Record<string, any> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, thing]) =>
      thing === null ? [] : [[name.replace(/[-_](.)/g, (_, letter) => letter.toUpperCase()), thing]],
    ),
  );

/** Chooses by the method's argument at a place, or by an option in it. */
export const when =
  (at: number, name: string | undefined, yes: Decoder, no: Decoder): Decoder =>
  (reply, decode, args) =>
    ((name ? args[at]?.[name] : args[at]) ? yes : no)(reply, decode, args);

/** One thing or null, or, where the reply is an array (a count was given), an array of them. */
export const oneOrMany =
  (decoder: Decoder): Decoder =>
  (...reply) =>
    (Array.isArray(reply[0]) ? list(orNull(decoder)) : orNull(decoder))(...reply);

/** Values in the order of the fields among the arguments, as an object; null when every one of them is null. */
export const byField =
  (from: number): Decoder =>
  (...reply) => {
    const names = reply[2].slice(from).flat();
    const values = tuple(...names.map(() => orNull(value)))(...reply);
    return (reply[0] as unknown[]).every((item) => item === null) ? null : zip(names, values);
  };
