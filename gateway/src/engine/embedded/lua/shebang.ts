import { RedisCommandError } from "js-redis-server/core";

const FLAGS = new Set(["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"]);

/** The words of a source's first line behind `#!`; undefined if it does not begin so. */
function wordsOf(source: Buffer): string[] | undefined {
  if (source.toString("latin1", 0, 2) !== "#!") return undefined;
  const [line = ""] = source.toString("latin1", 2).split("\n", 1);
  return line.trim().split(/\s+/);
}

/** The flags in a script's first line; undefined without such a line. @throws {RedisCommandError} if it is malformed */
export function scriptFlags(source: Buffer): readonly string[] | undefined {
  const words = wordsOf(source);
  if (!words) return undefined;
  if (!source.includes("\n")) throw new RedisCommandError("Invalid script shebang");
  const [engine, ...options] = words;
  if (engine !== "lua") throw new RedisCommandError(`Unexpected engine in script shebang: #!${engine}`);
  return options.flatMap((option) => {
    if (!option.startsWith("flags=")) throw new RedisCommandError(`Unknown lua shebang option: ${option}`);
    const flags = option.slice("flags=".length).split(",").filter(Boolean);
    const unknown = flags.find((flag) => !FLAGS.has(flag));
    if (unknown !== undefined) throw new RedisCommandError(`Unexpected flag in script shebang: ${unknown}`);
    return flags;
  });
}

/** The name in a library's first line. @throws {RedisCommandError} if there is none, or the line is malformed */
export function libraryName(source: Buffer): string {
  const words = wordsOf(source);
  if (!words || !source.includes("\n"))
    throw new RedisCommandError(words ? "Invalid library metadata" : "Missing library metadata");
  const [engine, ...options] = words;
  let name: string | undefined;
  for (const option of options) {
    if (!/^name=/i.test(option)) throw new RedisCommandError(`Invalid metadata value given: ${option}`);
    if (name !== undefined)
      throw new RedisCommandError("Invalid metadata value, name argument was given multiple times");
    name = option.slice("name=".length);
  }
  if (name === undefined) throw new RedisCommandError("Library name was not given");
  if (!/^\w+$/.test(name))
    throw new RedisCommandError(
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one character long",
    );
  if (engine?.toLowerCase() !== "lua") throw new RedisCommandError(`Engine '${engine}' not found`);
  return name;
}
