import { type ArgEncoder, encodeArgs } from "./args.js";
import type { CommandSpec, Decoder } from "./spec.js";

/** A spec that may lack its name, and takes it from the method then. */
type CommandDraft = Omit<CommandSpec, "name"> & {
  readonly name?: string | undefined;
  readonly encoders: readonly ArgEncoder[];
};

const draftCommand =
  (write: CommandSpec["write"]) =>
  (reply: Decoder, ...encoders: ArgEncoder[]): CommandDraft => ({
    write,
    reply,
    encoders,
    encodeArgs: encodeArgs(encoders),
  });

/** A command that changes no data, with an encoder for each argument of its method. */
export const read = draftCommand(false);

/** A command that may change data. */
export const write = draftCommand(true);

/** A command that changes data unless its arguments say otherwise. */
export const writeIf = (test: (args: readonly unknown[]) => boolean): typeof read => draftCommand(test);

/** A command that takes a schema, by default for each stored value. */
export const checked = (spec: CommandDraft, schema: CommandSpec["schema"] = "each"): CommandDraft => ({
  ...spec,
  schema,
});

/** A command whose name does not derive from the method's. */
export const as = (name: string, spec: CommandDraft): CommandDraft => ({ ...spec, name });

/** A command whose arguments are sent in another order. `order` has the position of each encoder's argument in the method. */
export const reordered = (order: readonly number[], spec: CommandDraft): CommandDraft => ({
  ...spec,
  encodeArgs: encodeArgs(spec.encoders, order),
});

/** Names the drafts that have no name by `prefix` and the method: evalRo becomes EVAL_RO, scriptLoad becomes SCRIPT LOAD. */
export function named<T extends Record<string, CommandDraft>>(
  specs: T,
  prefix = "",
): { readonly [N in keyof T]: CommandSpec } {
  return Object.fromEntries(
    Object.entries(specs).map(([method, spec]) => {
      const name = method.replace(/Ro$/, "_ro").replace(/[A-Z]/g, " $&");
      return [method, { name: prefix + name.toUpperCase(), ...spec }];
    }),
  ) as unknown as { [N in keyof T]: CommandSpec };
}

/** The specs of a group, created at the first lookup: a program uses the commands of a few groups. */
export function defineCommands<T extends Record<string, CommandDraft>>(
  drafts: () => T,
  prefix?: string,
): () => { readonly [N in keyof T]: CommandSpec } {
  let specs: { readonly [N in keyof T]: CommandSpec } | undefined;
  return () => {
    specs ??= named(drafts(), prefix);
    return specs;
  };
}
