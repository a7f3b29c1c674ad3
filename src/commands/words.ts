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
export const each = (out: unknown[], arg: unknown): void => {
  if (Array.isArray(arg)) for (const item of arg) out.push(item);
  else out.push(arg);
};

/** One stored value or an array of them. */
export const eachData: Piece = (out, arg, encode) => {
  for (const item of [arg].flat()) out.push(encode(item));
};

/** How many, then each. */
export const counted: Piece = (out, arg) => {
  out.push(Array.isArray(arg) ? arg.length : 1);
  each(out, arg);
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

/** A fixed word before what the argument adds. */
export const after =
  (word: string, piece: Piece): Piece =>
  (out, arg, encode) => {
    out.push(word);
    piece(out, arg, encode);
  };

/** A fixed word and the argument, or where the argument is true the word alone; nothing where it is left out. */
export const option =
  (word: string): Piece =>
  (out, arg) => {
    if (arg === undefined || arg === null || arg === false) return;
    if (word) out.push(word);
    if (arg !== true) each(out, arg);
  };

/**
 * An object of options, as {@link option}. `spec` lists them in the order sent, each under its name in upper case;
 * `name=WORD` is sent under another word, `name=` as its value alone.
 */
export const options = (spec: string): Piece => {
  let list: [name: string, piece: Piece][] | undefined;
  return (out, given, encode) => {
    if (!given) return;
    list ??= spec.split(" ").map((item) => {
      const [name, word] = item.split("=");
      return [name!, option((word ?? name!).toUpperCase())];
    });
    for (const [name, piece] of list) piece(out, given[name], encode);
  };
};

/** What one property of an object adds, where the object has it. */
export const of =
  (name: string, piece: Piece): Piece =>
  (out, given, encode) => {
    if (given && name in given) piece(out, given[name], encode);
  };

/** How many to skip and how many to give. */
export const limit: Piece = (out, given) => {
  if (given?.count !== undefined) out.push("LIMIT", given.offset ?? 0, given.count);
};

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
