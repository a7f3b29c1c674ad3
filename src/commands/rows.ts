import { type ArgEncoder, encodeArgs } from "./args.js";
import type { Decoder, Row } from "./row.js";

/** A row that takes its name from the method. */
type Draft = Omit<Row, "name"> & { readonly name?: string; readonly encoders: readonly ArgEncoder[] };

const draft =
  (write: Row["write"]) =>
  (reply: Decoder, ...encoders: ArgEncoder[]): Draft => ({
    write,
    reply,
    encoders,
    encodeArgs: encodeArgs(encoders),
  });

/** A command that changes nothing, with an encoder for each argument of its method. */
export const read = draft(false);

/** A command that may change data. */
export const write = draft(true);

/** A command that changes data unless its arguments say otherwise. */
export const writeIf = (test: (args: readonly unknown[]) => boolean): typeof read => draft(test);

/** A command that may be given a schema, by default for each stored value. */
export const checked = (row: Draft, schema: Row["schema"] = "each"): Draft => ({ ...row, schema });

/** A command under a name that the method's does not tell. */
export const as = (name: string, row: Draft): Draft => ({ ...row, name });

/** A command that is sent in another order: `order` has the place of each encoder's argument in the method. */
export const reordered = (order: readonly number[], row: Draft): Draft => ({
  ...row,
  encodeArgs: encodeArgs(row.encoders, order),
});

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
  ) as unknown as { [N in keyof T]: Row };
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
