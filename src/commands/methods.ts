import { builders, everyGroup, type Group, namespaces, rowFor } from "./index.js";
import type { Row } from "./row.js";

/** Does what a client or a pipeline does with a command: send it now, or collect it. */
export type Send = (row: Row, args: unknown[]) => unknown;

/** The names of all that a client and a pipeline have by the rows: methods, namespaces and builders. */
export const commandNames = (): string[] =>
  [...everyGroup(), namespaces, builders].flatMap((group) => Object.keys(group));

const method =
  (row: Row) =>
  (send: Send) =>
  (...args: unknown[]) =>
    send(row, args);

/** Makes what stands under a name, a method or a namespace's methods; undefined where nothing does. */
export function commandMethod(name: string): ((send: Send) => unknown) | undefined {
  const namespace = (namespaces as Record<string, Group>)[name];
  if (namespace) {
    const rows = Object.entries(namespace());
    return (send) => Object.fromEntries(rows.map(([name, row]) => [name, method(row)(send)]));
  }
  const builder = (builders as Record<string, (send: Send, ...args: any[]) => unknown>)[name];
  if (builder)
    return (send) =>
      (...args: unknown[]) =>
        builder(send, ...args);
  const row = rowFor(name);
  return row && method(row);
}
