import {
  type CommandDefinition,
  type CommandExecutor,
  defineCommand,
  RedisCommandError,
  type RedisResult,
  t,
} from "js-redis-server/core";

type Flags = CommandDefinition["flags"];
type Context = Parameters<CommandDefinition["execute"]>[1];

/** Positions of the keys among a command's arguments: `first` is 0-based, `last` counts from the end if negative. */
interface KeyPositions {
  readonly first: number;
  readonly last?: number;
  readonly step?: number;
}

/** A command whose arguments the engine's library need not parse. */
interface PlainCommand {
  readonly name: string;
  readonly flags: Flags;
  /** Number of arguments, the name included; negative for "at least". */
  readonly arity: number;
  /** The most arguments, the name included, if the arity is negative. Default: no limit. */
  readonly maxArity?: number;
  /** Absent where there are no keys. */
  readonly keys?: KeyPositions;
  execute(args: readonly Buffer[], ctx: Context): RedisResult;
}

/** Builds a definition from a command's raw arguments: checks their number, and returns the keys among them. */
export function plainCommand(command: PlainCommand): CommandDefinition {
  const { name, flags, arity, maxArity = Number.POSITIVE_INFINITY, keys, execute } = command;
  return defineCommand({
    name,
    flags,
    schema: t.custom((input) => {
      const count = input.length + 1;
      if (arity < 0 ? count < -arity || count > maxArity : count !== arity)
        throw wrongNumberOfArguments(name);
      return { value: input, nextIndex: input.length };
    }),
    introspection: {
      arity,
      firstKey: keys ? keys.first + 1 : 0,
      lastKey: keys
        ? keys.last === undefined
          ? keys.first + 1
          : keys.last < 0
            ? keys.last
            : keys.last + 1
        : 0,
      keyStep: keys ? (keys.step ?? 1) : 0,
      categories: [flags.includes("write") ? "@write" : "@read"],
    },
    keys: (args: readonly Buffer[]) => (keys ? keysAt(args, keys) : []),
    execute,
  }) as CommandDefinition;
}

function keysAt(args: readonly Buffer[], { first, last = first, step = 1 }: KeyPositions): Buffer[] {
  const end = last < 0 ? args.length + last : last;
  const keys: Buffer[] = [];
  for (let at = first; at <= end; at += step) if (args[at]) keys.push(args[at]!);
  return keys;
}

/** Adds commands to an executor; one of the same name is replaced. */
export function addCommands(executor: CommandExecutor, definitions: readonly CommandDefinition[]): void {
  // biome-ignore lint/complexity/useLiteralKeys: quotes let TypeScript, which checks this name too, reach a private member.
  executor["registry"].registerAll(definitions, { override: true });
}

/** The library's definition of a command, to build another one on. */
export function libraryCommand(executor: CommandExecutor, name: string): CommandDefinition {
  const definition = executor.getCommandDefinition(name);
  if (!definition) throw new Error(`the embedded engine's library has no command ${name}`);
  return definition;
}

/** Returns `base` with its arguments rewritten before they are parsed. */
export function withArguments(
  base: CommandDefinition,
  rewrite: (args: readonly Buffer[]) => readonly Buffer[],
): CommandDefinition {
  return {
    ...base,
    schema: t.custom((input, _index, ctx) => {
      const rewritten = rewrite(input);
      const parsed = base.schema.parse(rewritten, 0, ctx);
      const isWhole = parsed.nextIndex === rewritten.length;
      return { value: parsed.value, nextIndex: isWhole ? input.length : -1 };
    }),
  };
}

/** Returns `base` with a check of its raw arguments before the library's own check. */
export function withCheck(
  base: CommandDefinition,
  check: (args: readonly Buffer[]) => void,
): CommandDefinition {
  return withArguments(base, (args) => {
    check(args);
    return args;
  });
}

export function wrongNumberOfArguments(command: string): RedisCommandError {
  return new RedisCommandError(`wrong number of arguments for '${command}' command`);
}
