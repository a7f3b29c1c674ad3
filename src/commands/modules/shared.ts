import { bytes, int, list, nested, nestedText, object, tuple } from "../decoders.js";
import { after, arg, eachData, type Piece } from "../words.js";

/** Facts by Redis's own names: numbers and text. */
export type Facts = Record<string, any>;

/** Part of a filter as it is copied: where to go on, 0 at the end, and bytes. */
export type Chunk = [iterator: number, data: Uint8Array];

export const facts = object(nestedText);

/** Integers, or errors in their places. */
export const outcomes = list((...reply) => (typeof reply[0] === "number" ? reply[0] : nested(...reply)));

export const chunk = tuple(int, (reply) => (reply === null ? new Uint8Array() : bytes(reply)));

/** All arguments from here on, as stored values after a word. */
export const items = after("ITEMS", eachData);

/** An object as name and number, one after the other. */
export const amounts: Piece = (out, given) => {
  for (const [name, amount] of Object.entries(given)) out.push(name, amount);
};

/** The number of keys that follow, and they. */
export const sources: Piece = (out, keys, encode) => {
  arg(out, keys.length, encode);
  for (const key of keys) arg(out, key, encode);
};
