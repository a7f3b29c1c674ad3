import type { Decoder, Row } from "./row.js";
import { each, type Piece, words } from "./words.js";

/** A row that takes its name from the method. */
type Draft = Omit<Row, "name"> & { readonly name?: string };

const plain = words([each]);

const draft =
  (write: Row["write"]) =>
  (reply: Decoder, ...pieces: Piece[]): Draft => ({
    write,
    reply,
    words: pieces.length ? words(pieces) : plain,
  });

/** A command that changes nothing. Without `pieces` its words are the arguments as they are, arrays flattened. */
export const read = draft(false);

/** A command that may change data. */
export const write = draft(true);

/** A command that changes data unless its words, without its name, say otherwise. */
export const writeIf = (test: (words: readonly unknown[]) => boolean): typeof read => draft(test);

/** That may be given a schema, by default for each stored value. */
export const checked = (row: Draft, schema: Row["schema"] = "each"): Draft => ({ ...row, schema });

/** Under a name that the method's does not tell. */
export const as = (name: string, row: Draft): Draft => ({ ...row, name });

/** With its words made from the arguments in another order or grouping than the method's. */
export const rearrange = (order: (args: any[]) => unknown[], row: Draft): Draft => ({
  ...row,
  words: (encode, ...args) => row.words(encode, ...order(args)),
});

/** With all arguments from a place on as one array. */
export const gather = (from: number, row: Draft): Draft =>
  rearrange((args) => [...args.slice(0, from), args.slice(from)], row);

/** Gives the rows their names, unless they have one: `prefix` and the method's. evalRo is EVAL_RO, scriptLoad SCRIPT LOAD. */
export function named<T extends Record<string, Draft>>(
  rows: T,
  prefix = "",
): { readonly [N in keyof T]: Row } {
  return Object.fromEntries(
    Object.entries(rows).map(([method, row]) => {
      const name = method.replace(/Ro$/, "_ro").replace(/[A-Z]/g, " $&");
      return [method, { name: prefix + name.toUpperCase(), ...row }];
    }),
  ) as { [N in keyof T]: Row };
}

/** The rows of a group, made when one of them is first asked for: a program uses the commands of a few groups. */
export function group<T extends Record<string, Draft>>(
  drafts: () => T,
  prefix?: string,
): () => { readonly [N in keyof T]: Row } {
  let rows: { readonly [N in keyof T]: Row } | undefined;
  return () => {
    rows ??= named(drafts(), prefix);
    return rows;
  };
}
