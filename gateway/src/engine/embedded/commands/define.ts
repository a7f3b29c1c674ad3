import {
  type CommandDefinition,
  type CommandExecutor,
  defineCommand,
  type RedisDatabase,
  type RedisResult,
  t,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";

type Flags = CommandDefinition["flags"];
export type Context = Parameters<CommandDefinition["execute"]>[1];

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
  /** Null where there are no keys. Default: the first argument is one. */
  readonly keys?: KeyPositions | null;
  execute(args: readonly Buffer[], ctx: Context): RedisResult;
}

/** Builds a definition from a command's raw arguments: checks their number, and returns the keys among them. */
export function plainCommand(command: PlainCommand): CommandDefinition {
  const { name, flags, arity, maxArity = Number.POSITIVE_INFINITY, keys = { first: 0 }, execute } = command;
  return defineCommand({
    name,
    flags,
    schema: t.custom((input) => {
      const count = input.length + 1;
      if (arity < 0 ? count < -arity || count > maxArity : count !== arity)
        throw new WrongNumberOfArgumentsError(name);
      return { value: input, nextIndex: input.length };
    }),
    introspection: {
      arity,
      ...(keys && positionsOf(keys)),
      categories: [flags.includes("write") ? "@write" : "@read"],
    },
    keys: (args: readonly Buffer[]) => (keys ? keysAt(args, keys) : []),
    execute,
  }) as CommandDefinition;
}

/** The positions as COMMAND INFO has them, where the name is the first argument. */
function positionsOf({ first, last = first, step = 1 }: KeyPositions) {
  return { firstKey: first + 1, lastKey: last < 0 ? last : last + 1, keyStep: step };
}

function keysAt(args: readonly Buffer[], { first, last = first, step = 1 }: KeyPositions): Buffer[] {
  const end = last < 0 ? args.length + last : last;
  return args.filter((_, at) => at >= first && at <= end && (at - first) % step === 0);
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

/** Returns a context for a library's command in which some methods of the database are replaced. */
export function withDatabase(ctx: Context, methods: Partial<RedisDatabase>): Context {
  const database = Object.assign(Object.create(ctx.db), methods);
  return Object.create(ctx, { db: { value: database } });
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
