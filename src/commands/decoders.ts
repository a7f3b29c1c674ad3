import { RedisError } from "../errors.js";
import { TextBulk } from "../protocol/bytes.js";
import { integer, MalformedReply } from "../protocol/malformed.js";
import { type Bulk, ErrorReply, type RawReply } from "../protocol/reply.js";
import type { Decoder } from "./spec.js";

// A reply of the wrong type is an error, never a value: something between the client and Redis changed it.
function unexpected(expected: string): never {
  throw new MalformedReply(`the reply is not ${expected}`);
}

function isBulk(reply: RawReply): reply is Bulk {
  return (reply as Partial<Bulk> | null)?.bytes !== undefined;
}

/** Text that is never parsed: a key, field, id, cursor or status. */
export const text = (reply: RawReply): string =>
  typeof reply === "string" ? reply : isBulk(reply) ? reply.text() : unexpected("text");

/** An integer, as text if a number would round it. */
export const int = (reply: RawReply): number | string =>
  Number.isSafeInteger(reply)
    ? (reply as number)
    : integer(typeof reply === "number" ? String(reply) : text(reply));

/** An integer as text, for values that may exceed a number's precision. */
export const digits = (reply: RawReply): string => String(int(reply));

/** A floating-point number, which Redis sends as text. */
export const float = (reply: RawReply): number => {
  if (typeof reply === "number") return reply;
  const shown = text(reply);
  const value = Number(shown.replace(/inf$/i, "Infinity"));
  return shown && (!Number.isNaN(value) || /^-?nan$/i.test(shown)) ? value : unexpected("a number");
};

/** Whether a reply is text of any kind. */
export const isText = (reply: RawReply): boolean => typeof reply === "string" || isBulk(reply);

const bulk = (reply: RawReply): Bulk => (isBulk(reply) ? reply : new TextBulk(text(reply)));

/** A stored value, decoded by the codec. */
export const value: Decoder = (reply, decode) => decode(bulk(reply));

/** The stored bytes, without the codec. */
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

/** An array, each item by the same decoder. */
export const list =
  (decoder: Decoder) =>
  (...[reply, decode, args]: Parameters<Decoder>): any[] =>
    items(reply).map((item) => decoder(item, decode, args));

/** A flat array of alternating kinds, such as members and scores. */
export const alternating =
  (...decoders: Decoder[]) =>
  (...[reply, decode, args]: Parameters<Decoder>): any[] => {
    const all = items(reply);
    if (all.length % decoders.length) unexpected("whole groups");
    return all.map((item, i) => decoders[i % decoders.length]!(item, decode, args));
  };

/** An array of fixed length, with a decoder for each item. */
export const tuple =
  (...decoders: Decoder[]) =>
  (...reply: Parameters<Decoder>): any[] => {
    if (items(reply[0]).length !== decoders.length) unexpected(`an array of ${decoders.length}`);
    return alternating(...decoders)(...reply);
  };

/** A flat array of alternating kinds, split into an array for each group. */
export const groups =
  (...decoders: Decoder[]) =>
  (...reply: Parameters<Decoder>): any[][] => {
    const flat = alternating(...decoders)(...reply);
    const all: any[][] = [];
    for (let i = 0; i < flat.length; i += decoders.length) all.push(flat.slice(i, i + decoders.length));
    return all;
  };

/** A flat array of alternating names and values, as an object. */
export const object =
  (decoder: Decoder) =>
  (...reply: Parameters<Decoder>): Record<string, any> =>
    Object.fromEntries(groups(text, decoder)(...reply) as [string, unknown][]);

/** Returns an object with these names and values. */
export const zip = (names: readonly unknown[], values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]]));

/** The decoders of an object's properties. */
type Parts = Readonly<Record<string, Decoder>>;

/** A flat array of alternating kinds, split into an object for each group. */
export const records =
  (parts: Parts) =>
  (...reply: Parameters<Decoder>): Record<string, any>[] =>
    groups(...Object.values(parts))(...reply).map((group) => zip(Object.keys(parts), group));

/** An array of fixed length, as an object. */
export const struct =
  (parts: Parts): Decoder =>
  (...reply) =>
    zip(Object.keys(parts), tuple(...Object.values(parts))(...reply));

/** A property of an object, and the option that requests it. Without an option it is always present. */
export type Part = readonly [name: string, decoder: Decoder, option?: string];

/** Returns the properties that are present with these options. */
export const selectParts = (options: Record<string, unknown> | undefined, parts: readonly Part[]): Parts =>
  Object.fromEntries(parts.filter(([, , option]) => !option || options?.[option]));

/** Returns an object with its names in camel case, without null values. */
export const camel = (source: Record<string, unknown>): Record<string, any> =>
  Object.fromEntries(
    Object.entries(source).flatMap(([name, item]) =>
      item === null ? [] : [[name.replace(/[-_](.)/g, (_, letter) => letter.toUpperCase()), item]],
    ),
  );

/** Decodes by `yes` if the argument at the index `at`, or its option `name`, is truthy, else by `no`. */
export const when =
  (at: number, name: string | undefined, yes: Decoder, no: Decoder): Decoder =>
  (reply, decode, args) =>
    ((name ? args[at]?.[name] : args[at]) ? yes : no)(reply, decode, args);

/** A value or null. If the reply is an array, since the call had a count, an array of these. */
export const oneOrMany =
  (decoder: Decoder): Decoder =>
  (...reply) =>
    (Array.isArray(reply[0]) ? list(orNull(decoder)) : orNull(decoder))(...reply);

/** Values in the order of the fields, as an object; null if all are null. @param from index of the first field in the arguments. */
export const byField =
  (from: number): Decoder =>
  (...reply) => {
    const names = reply[2].slice(from).flat();
    const values = tuple(...names.map(() => orNull(value)))(...reply);
    return (reply[0] as unknown[]).every((item) => item === null) ? null : zip(names, values);
  };
