import {
  type CommandDefinition,
  type CommandExecutor,
  defineCommand,
  RedisCommandError,
  type RedisDatabase,
  RedisResult,
  RedisValue,
  t,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";

export type Context = Parameters<CommandDefinition["execute"]>[1];

/**
 * Positions of the keys among a command's arguments, as COMMAND INFO returns them: the name is argument 0, and a negative
 * `lastKey` counts from the end.
 */
interface KeyPositions {
  readonly firstKey: number;
  readonly lastKey: number;
  readonly keyStep: number;
}

/**
 * Builds a definition of a command whose arguments the library need not parse: it checks their number, and finds the keys among them.
 * @param usage the name and a word for each argument, such as `json.clear key [path] ...`. The word for a key is `key`. Words in brackets
 * may be missing, `...` stands for any number of further arguments, and `key...` for any number of keys at the same distance.
 * @param flags with spaces between them
 */
export function command(
  usage: string,
  flags: string,
  execute: (args: readonly Buffer[], ctx: Context) => RedisResult,
): CommandDefinition {
  const [name, ...words] = usage.split(" ") as [string, ...string[]];
  const isOpen = words.some((word) => word.endsWith("..."));
  const least = 1 + words.filter((word) => /^\w+$/.test(word)).length;
  const most = isOpen ? Number.POSITIVE_INFINITY : 1 + words.length;
  const keys = keyPositions(words);
  return defineCommand({
    name,
    flags: flags.split(" ") as CommandDefinition["flags"],
    schema: t.custom((input) => {
      const count = input.length + 1;
      if (count < least || count > most) throw new WrongNumberOfArgumentsError(name);
      return { value: input, nextIndex: input.length };
    }),
    introspection: {
      arity: least === most ? least : -least,
      ...keys,
      categories: [flags.startsWith("write") ? "@write" : "@read"],
    },
    keys: (args: readonly Buffer[]) => (keys ? keysAt(args, keys) : []),
    execute,
  }) as CommandDefinition;
}

/** Returns null without keys. */
function keyPositions(words: readonly string[]): KeyPositions | null {
  const places = words.flatMap((word, at) => (/^\[?key\]?$/.test(word) ? [at + 1] : []));
  const repeated = words.indexOf("key...") + 1;
  const firstKey = places[0];
  if (firstKey === undefined) return null;
  if (repeated === 0) return { firstKey, lastKey: places.at(-1)!, keyStep: 1 };
  return { firstKey, lastKey: repeated - 1 - words.length, keyStep: repeated - firstKey };
}

function keysAt(args: readonly Buffer[], { firstKey, lastKey, keyStep }: KeyPositions): Buffer[] {
  const [first, last] = [firstKey - 1, lastKey < 0 ? args.length + lastKey : lastKey - 1];
  return args.filter((_, at) => at >= first && at <= last && (at - first) % keyStep === 0);
}

/** The commands of the engine. Each method that replaces commands builds on what they are at that time. */
export class CommandTable {
  constructor(readonly executor: CommandExecutor) {}

  /** Adds commands. One of the same name is replaced. */
  add(...definitions: readonly CommandDefinition[]): void {
    // biome-ignore lint/complexity/useLiteralKeys: brackets give typed access to a private member.
    this.executor["registry"].registerAll(definitions, { override: true });
  }

  get(name: string): CommandDefinition {
    const definition = this.executor.getCommandDefinition(name);
    if (!definition) throw new Error(`the embedded engine's library has no command ${name}`);
    return definition;
  }

  /** Replaces commands. @param names with spaces between them */
  replace(names: string, make: (base: CommandDefinition) => CommandDefinition): void {
    this.add(...names.split(" ").map((name) => make(this.get(name))));
  }

  /**
   * Replaces what commands do. Their arguments are parsed as before.
   * @param execute gets what was parsed, and `run`, which runs the command as before
   */
  override<A>(
    names: string,
    execute: (args: A, ctx: Context, run: Run) => RedisResult | Promise<RedisResult>,
  ): void {
    this.replace(names, (base) => ({
      ...base,
      execute: (args, ctx) =>
        execute(args as A, ctx, (given, within = ctx) => base.execute(given, within) as RedisResult),
    }));
  }

  /** Rewrites the arguments of commands before they are parsed. */
  rewrite(names: string, rewrite: (args: readonly Buffer[]) => readonly Buffer[]): void {
    this.replace(names, (base) => withArguments(base, rewrite));
  }

  /** Checks the arguments of commands before they are parsed. */
  check(names: string, check: (args: readonly Buffer[]) => void): void {
    this.rewrite(names, (args) => {
      check(args);
      return args;
    });
  }
}

/** Runs a command with these parsed arguments, by default in the same context. */
type Run = (args: unknown, ctx?: Context) => RedisResult;

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

export const MAX_INT64 = (1n << 63n) - 1n;

/** Reads an integer of 64 bits without a plus sign or a zero before it. Undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value === BigInt.asIntN(64, value) ? value : undefined;
}

/** An integer as a number. One beyond 2^53 becomes the last below it: as an index or a count, that means the same. */
function clamp(value: bigint): number {
  return Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/**
 * Reads an index or a count.
 * @throws RedisCommandError if the argument is not an integer of 64 bits
 */
export function parseInteger(arg: Buffer): number {
  const value = parseInt64(arg.toString("latin1"));
  if (value === undefined) throw new RedisCommandError("value is not an integer or out of range");
  return clamp(value);
}

/** Writes an index or a count so that the library takes it. Returns any other argument as it is. */
export function clampInteger(arg: Buffer): Buffer {
  const value = parseInt64(arg.toString("latin1"));
  return value === undefined ? arg : Buffer.from(String(clamp(value)));
}

/** An argument as an option's name: upper case. */
export function optionName(arg: Buffer | undefined): string {
  return arg?.toString("latin1").toUpperCase() ?? "";
}

export const bulkValue = (value: Buffer | string | null): RedisValue =>
  RedisValue.bulkString(typeof value === "string" ? Buffer.from(value) : value);
export const bulk = (value: Buffer | string | null): RedisResult => RedisResult.create(bulkValue(value));
export const integer = (value: number): RedisResult => RedisResult.create(RedisValue.integer(value));
export const array = (items: RedisValue[]): RedisResult => RedisResult.create(RedisValue.array(items));

/** Returns the items of an array reply. Empty for any other reply. */
export function itemsOf(reply: RedisValue | undefined): RedisValue[] {
  return reply?.kind === "array" ? reply.items : [];
}

/** The text of a string, as Latin-1 (one character per byte); empty for any other reply. */
export function replyText(reply: RedisValue | undefined): string {
  if (reply?.kind === "simple-string") return reply.value;
  return reply?.kind === "bulk-string" ? (reply.value?.toString("latin1") ?? "") : "";
}
