import { builders, everyGroup, type Group, getSpec, namespaces } from "./index.js";
import type { CommandSpec } from "./spec.js";

/** Does what a client or a pipeline does with a command: send it now, or collect it. */
export type Send = (spec: CommandSpec, args: unknown[]) => unknown;

/** The names of all that a client and a pipeline have by the specs: methods, namespaces and builders. */
export const commandNames = (): string[] =>
  [...everyGroup(), namespaces, builders].flatMap((group) => Object.keys(group));

const method =
  (spec: CommandSpec) =>
  (send: Send) =>
  (...args: unknown[]) =>
    send(spec, args);

/** Makes what stands under a name, a method or a namespace's methods; undefined where nothing does. */
export function commandMethod(name: string): ((send: Send) => unknown) | undefined {
  const namespace = (namespaces as Record<string, Group>)[name];
  if (namespace) {
    const specs = Object.entries(namespace());
    return (send) => Object.fromEntries(specs.map(([name, spec]) => [name, method(spec)(send)]));
  }
  const builder = (builders as Record<string, (send: Send) => unknown>)[name];
  const spec = builder ? undefined : getSpec(name);
  return spec ? method(spec) : builder;
}
