import { bitfieldRow } from "./bitmap.js";
import { everyGroup, namespaces } from "./index.js";
import type { Row } from "./row.js";

export type RowOf = typeof rowOf;

let known: Map<string, Row> | undefined;

/** The row of a command given as words, its name among them, if there is one, and how many words the name has. */
export function rowOf(words: readonly unknown[]): [row: Row | undefined, nameWords: number] {
  known ??= new Map(
    [...everyGroup(), ...Object.values(namespaces).map((rows) => rows()), { bitfieldRow }]
      .flatMap((group) => Object.values<Row>(group))
      .map((row) => [row.name, row]),
  );
  const [name, sub] = words.slice(0, 2).map((word) => String(word).toUpperCase());
  const row = known.get(`${name} ${sub}`);
  return row ? [row, 2] : [known.get(name!), 1];
}
