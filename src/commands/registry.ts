import { bitfieldSpec } from "./bitmap.js";
import { everyGroup, namespaces } from "./index.js";
import type { CommandSpec } from "./spec.js";

let specs: Map<string, CommandSpec> | undefined;

/** Returns the spec of a command, if there is one, and the number of words of its name. @param argv name and arguments. */
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
