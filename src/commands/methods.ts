import { builders, everyGroup, type Group, getSpec, namespaces } from "./index.js";
import type { CommandSpec } from "./spec.js";

/** Sends a command now (a client), or collects it (a pipeline). */
export type Send = (spec: CommandSpec, args: unknown[]) => unknown;

/** Returns the names of all methods, namespaces and builders. */
export const commandNames = (): string[] =>
  [...everyGroup(), namespaces, builders].flatMap((group) => Object.keys(group));

const method =
  (spec: CommandSpec) =>
  (send: Send) =>
  (...args: unknown[]) =>
    send(spec, args);

/** Returns a function that creates the method, namespace or builder of a name, or undefined if there is none. */
export function commandMethod(name: string): ((send: Send) => unknown) | undefined {
  const namespace = (namespaces as Record<string, Group>)[name];
  if (namespace) {
    const specs = Object.entries(namespace());
    return (send) => Object.fromEntries(specs.map(([name, spec]) => [name, method(spec)(send)]));
  }
  const builder = (builders as Record<string, (send: Send) => unknown>)[name];
  if (builder) return builder;
  const spec = getSpec(name);
  return spec && method(spec);
}
