import { RedisError } from "../errors.js";
import { TextBulk } from "../wire/bytes.js";
import { integer, MalformedReply } from "../wire/malformed.js";
import { type Bulk, ErrorReply, type RawReply } from "../wire/reply.js";
import type { Decoder } from "./row.js";

// A reply of another kind than the command gives is an error, never a value: something between changed it.
function unexpected(wanted: string): never {
  throw new MalformedReply(`the reply is not ${wanted}`);
}

function isBulk(reply: RawReply): reply is Bulk {
  return (
    typeof reply === "object" && reply !== null && !Array.isArray(reply) && !(reply instanceof ErrorReply)
  );
}

/** Text as Redis has it, never parsed: a key, a field, an id, a cursor, a status. */
export const text = (reply: RawReply): string =>
  typeof reply === "string" ? reply : isBulk(reply) ? reply.text() : unexpected("text");

/** An integer: a number, or its digits where a number would round it. */
export const int = (reply: RawReply): number | string =>
  typeof reply === "number" ? reply : integer(text(reply));

/** An integer as text, for what grows beyond a number's precision. */
export const digits = (reply: RawReply): string => String(int(reply));

/** A floating-point number, which Redis sends as text. */
export const float = (reply: RawReply): number => {
  if (typeof reply === "number") return reply;
  const shown = text(reply);
  const value = Number(shown.replace(/inf$/i, "Infinity"));
  return shown === "" || (Number.isNaN(value) && !/^-?nan$/i.test(shown)) ? unexpected("a number") : value;
};

/** A stored value, through the codec. */
export const value: Decoder = (reply, decode) => decode(isBulk(reply) ? reply : new TextBulk(text(reply)));

/** Bytes as they are stored, whatever the codec. */
export const bytes = (reply: RawReply): Uint8Array =>
  (isBulk(reply) ? reply : new TextBulk(text(reply))).bytes();

/** Whatever a script or function gives: stored values, integers and nulls in arrays of any depth. */
export const nested: Decoder = (reply, decode, args) => {
  if (reply === null || typeof reply === "number") return reply;
  if (Array.isArray(reply)) return reply.map((item) => nested(item, decode, args));
  if (reply instanceof ErrorReply) return new RedisError(reply.message, {});
  return typeof reply === "string" && /^-?\d+$/.test(reply) ? reply : value(reply, decode, args);
};

/** The same where texts are names, ids and statuses. */
export const nestedText: Decoder = (reply, _decode, args) => nested(reply, (bulk) => bulk.text(), args);

/** Null, or what `decoder` gives. */
export const orNull =
  (decoder: Decoder): Decoder =>
  (reply, decode, args) =>
    reply === null ? null : decoder(reply, decode, args);

function items(reply: RawReply): RawReply[] {
  return Array.isArray(reply) ? reply : unexpected("an array");
}

/** An array of one kind of thing. */
export const list =
  (decoder: Decoder): Decoder =>
  (reply, decode, args) =>
    items(reply).map((item) => decoder(item, decode, args));

/** An array in which kinds take turns, such as member and score. It stays flat. */
export const turns =
  (...decoders: Decoder[]): Decoder =>
  (reply, decode, args) => {
    const all = items(reply);
    if (all.length % decoders.length) unexpected("an array of whole groups");
    return all.map((item, i) => decoders[i % decoders.length]!(item, decode, args));
  };

/** An array of fixed length, each place with a kind of its own. */
export const tuple =
  (...decoders: Decoder[]): Decoder =>
  (reply, decode, args) =>
    items(reply).length === decoders.length
      ? turns(...decoders)(reply, decode, args)
      : unexpected(`an array of ${decoders.length}`);

/** A flat array of names and things, as pairs. */
export const pairs =
  (name: Decoder, decoder: Decoder) =>
  (...[reply, decode, args]: Parameters<Decoder>): [any, any][] => {
    const flat = items(reply);
    if (flat.length % 2) unexpected("an array of pairs");
    const all: [unknown, unknown][] = [];
    for (let i = 0; i < flat.length; i += 2) {
      all.push([name(flat[i]!, decode, args), decoder(flat[i + 1]!, decode, args)]);
    }
    return all;
  };

/** A flat array of names and things, as an object. */
export const object =
  (decoder: Decoder): Decoder =>
  (reply, decode, args) =>
    Object.fromEntries(pairs(text, decoder)(reply, decode, args));

/** Chooses by the caller's arguments. */
export const when =
  (test: (args: readonly any[]) => unknown, yes: Decoder, no: Decoder): Decoder =>
  (reply, decode, args) =>
    (test(args) ? yes : no)(reply, decode, args);

/** One thing or null, or, where the reply is an array (a count was given), an array of them. */
export const oneOrMany =
  (decoder: Decoder): Decoder =>
  (reply, decode, args) =>
    Array.isArray(reply) ? list(orNull(decoder))(reply, decode, args) : orNull(decoder)(reply, decode, args);

/** Values in the order of `fields`, as an object keyed by them; null when every one of them is null. */
export const byField =
  (fields: (args: readonly any[]) => readonly unknown[], decoder: Decoder): Decoder =>
  (reply, decode, args) => {
    const names = fields(args);
    const values = list(orNull(decoder))(reply, decode, args) as unknown[];
    if (names.length !== values.length) unexpected("one value per field");
    return values.every((item) => item === null)
      ? null
      : Object.fromEntries(names.map((name, i) => [name, values[i]]));
  };
