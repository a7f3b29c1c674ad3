import { bitfieldSpec } from "./bitmap.js";
import { everyGroup, namespaces } from "./index.js";
import type { CommandSpec } from "./spec.js";

let specs: Map<string, CommandSpec> | undefined;

/** The spec of a command given with its name and arguments, if there is one, and how many arguments its name takes. */
export function findSpec(argv: readonly unknown[]): [spec: CommandSpec | undefined, nameLength: number] {
  specs ??= new Map(
    [...everyGroup(), ...Object.values(namespaces).map((specs) => specs()), { bitfieldSpec }]
      .flatMap((group) => Object.values<CommandSpec>(group))
      .map((spec) => [spec.name, spec]),
  );
  const [name, sub] = argv.slice(0, 2).map((arg) => String(arg).toUpperCase());
  const spec = specs.get(`${name} ${sub}`);
  return spec ? [spec, 2] : [specs.get(name!), 1];
}
