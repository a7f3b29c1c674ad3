import { builders, namespaces, rows } from "./index.js";
import type { Row } from "./row.js";

/** Does what a client or a pipeline does with a command: send it now, or collect it. */
export type Send = (row: Row, args: unknown[]) => unknown;

/** The names of all that a client and a pipeline have by the rows: methods, namespaces and builders. */
export const commandNames = [...Object.keys(rows), ...Object.keys(namespaces), ...Object.keys(builders)];

/** What stands under such a name: a method, or a namespace's methods. */
export function commandMethod(name: string, send: Send): unknown {
  const row = (rows as Record<string, Row>)[name];
  if (row) return (...args: unknown[]) => send(row, args);
  const builder = (builders as Record<string, (send: Send, ...args: any[]) => unknown>)[name];
  if (builder) return (...args: unknown[]) => builder(send, ...args);
  const namespace = (namespaces as Record<string, Record<string, Row>>)[name]!;
  return Object.fromEntries(
    Object.entries(namespace).map(([method, row]) => [method, (...args: unknown[]) => send(row, args)]),
  );
}
