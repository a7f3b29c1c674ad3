import type { Encode, Words } from "./row.js";

/**
 * What one argument of a method adds to the command's words. The first piece of a row takes the first argument,
 * and so on; the last piece takes all that follow.
 */
export type Piece = (out: unknown[], arg: any, encode: Encode) => void;

/** The argument as it is: a key, a field, an id, a number. */
export const arg: Piece = (out, arg) => {
  out.push(arg);
};

/** The argument as it is, where it may be left out. */
export const maybe: Piece = (out, arg) => {
  if (arg !== undefined) out.push(arg);
};

/** A stored value, through the codec. */
export const data: Piece = (out, arg, encode) => {
  out.push(encode(arg));
};

/** One or many, as they are. */
export const each: Piece = (out, arg) => {
  if (Array.isArray(arg)) for (const item of arg) out.push(item);
  else out.push(arg);
};

/** An array of stored values. */
export const eachData: Piece = (out, arg, encode) => {
  for (const item of arg) out.push(encode(item));
};

/** How many, then each. */
export const counted: Piece = (out, arg) => {
  out.push(Array.isArray(arg) ? arg.length : 1);
  each(out, arg, same);
};

/** An object as name and stored value, one after the other. */
export const entries: Piece = (out, arg, encode) => {
  for (const name of Object.keys(arg)) out.push(name, encode(arg[name]));
};

/** How many names an object has, then the object as {@link entries}. */
export const countedEntries: Piece = (out, arg, encode) => {
  out.push(Object.keys(arg).length);
  entries(out, arg, encode);
};

/** A word of its own, where the argument is true. */
export const flag =
  (word: string): Piece =>
  (out, arg) => {
    if (arg) out.push(word);
  };

/** A fixed word before what the argument adds. */
export const after =
  (word: string, piece: Piece): Piece =>
  (out, arg, encode) => {
    out.push(word);
    piece(out, arg, encode);
  };

/** The same, where the argument may be left out. */
export const maybeAfter =
  (word: string, piece: Piece = each): Piece =>
  (out, arg, encode) => {
    if (arg !== undefined) after(word, piece)(out, arg, encode);
  };

/**
 * An object of options. `names` lists them in the order sent; each is also Redis's word for it, in upper case.
 * `true` is the word alone, anything else is the word and its value; absent, null and false are left out.
 */
export const options = (names: string): Piece => {
  const list = names.split(" ");
  return (out, given) => {
    if (given) for (const name of list) option(out, name, given[name]);
  };
};

/** One option, as {@link options} sends it. */
export function option(out: unknown[], name: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return;
  out.push(name.toUpperCase());
  if (value !== true) each(out, value, same);
}

/** Several pieces made from one argument. */
export const all =
  (...pieces: Piece[]): Piece =>
  (out, arg, encode) => {
    for (const piece of pieces) piece(out, arg, encode);
  };

/** Puts pieces together to a row's words. */
export function words(pieces: readonly Piece[]): Words {
  const last = pieces.length - 1;
  return (encode, ...args) => {
    const out: unknown[] = [];
    for (let i = 0; i < args.length; i++) pieces[Math.min(i, last)]!(out, args[i], encode);
    return out;
  };
}

const same: Encode = (value) => value;
