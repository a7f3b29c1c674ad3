import { bitfieldRow } from "./bitmap.js";
import { everyGroup, namespaces } from "./index.js";
import type { Row } from "./row.js";

export type RowOf = typeof rowOf;

let known: Map<string, Row> | undefined;

/** The row of a command given with its name and arguments, if there is one, and how many arguments its name takes. */
export function rowOf(argv: readonly unknown[]): [row: Row | undefined, nameLength: number] {
  known ??= new Map(
    [...everyGroup(), ...Object.values(namespaces).map((rows) => rows()), { bitfieldRow }]
      .flatMap((group) => Object.values<Row>(group))
      .map((row) => [row.name, row]),
  );
  const [name, sub] = argv.slice(0, 2).map((arg) => String(arg).toUpperCase());
  const row = known.get(`${name} ${sub}`);
  return row ? [row, 2] : [known.get(name!), 1];
}
