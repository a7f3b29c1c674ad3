import { array, gathered, prefixed, record, scalar, stored } from "../args.js";
import { bytes, int, list, nested, nestedText, object, tuple } from "../decoders.js";

/** Facts by Redis's own names: numbers and text. */
export type Facts = Record<string, any>;

/** A part of a filter: the iterator of the next part, 0 at the end, and the bytes. */
export type Chunk = [iterator: number, data: Uint8Array];

export const facts = object(nestedText);

/** An array of integers and errors. */
export const outcomes = list((...reply) => (typeof reply[0] === "number" ? reply[0] : nested(...reply)));

export const chunk = tuple(int, (reply) => (reply === null ? new Uint8Array() : bytes(reply)));

/** This argument and all later ones, as stored values after the keyword ITEMS. */
export const items = gathered(prefixed("ITEMS", array(stored)));

/** An object of numbers, as alternating names and numbers. */
export const amounts = record(scalar);
