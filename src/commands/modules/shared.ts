import { array, gathered, prefixed, record, scalar, stored } from "../args.js";
import { bytes, int, list, nested, nestedText, object, tuple } from "../decoders.js";

/** Facts by Redis's own names: numbers and text. */
export type Facts = Record<string, any>;

/** Part of a filter as it is copied: where to go on, 0 at the end, and bytes. */
export type Chunk = [iterator: number, data: Uint8Array];

export const facts = object(nestedText);

/** Integers, or errors in their places. */
export const outcomes = list((...reply) => (typeof reply[0] === "number" ? reply[0] : nested(...reply)));

export const chunk = tuple(int, (reply) => (reply === null ? new Uint8Array() : bytes(reply)));

/** All arguments from here on, as stored values after a keyword. */
export const items = gathered(prefixed("ITEMS", array(stored)));

/** An object as name and number in turn. */
export const amounts = record(scalar);
