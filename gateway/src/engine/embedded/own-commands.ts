import { defineCommand, RedisCommandError, RedisResult, RedisValue, t } from "js-redis-server/core";
import { type EmbeddedLimits, sizeText } from "./limits.js";

const TOO_LARGE = "warmline.toolarge";

/** Stands for a command that was dropped for its size, so that its error comes in its place. */
export const TOO_LARGE_COMMAND = Buffer.from(`*1\r\n$${TOO_LARGE.length}\r\n${TOO_LARGE}\r\n`);

/** Commands that the engine's library lacks, and the stand-in for one that was too large. */
export function ownCommands(limits: EmbeddedLimits) {
  const echo = defineCommand({
    name: "echo",
    schema: t.object({ message: t.bulk() }),
    flags: ["fast"],
    introspection: { arity: 2, firstKey: 0, lastKey: 0, keyStep: 0, categories: ["@fast", "@connection"] },
    keys: () => [],
    execute: (args) => RedisResult.create(RedisValue.bulkString(args.message)),
  });
  const tooLarge = defineCommand({
    name: TOO_LARGE,
    // Refused while it is parsed, because that is what makes an open transaction fail as a whole.
    schema: t.custom((): { value: null; nextIndex: number } => {
      throw new RedisCommandError(
        `command is larger than ${sizeText(limits.maxStringBytes)}, the embedded engine's limit`,
      );
    }),
    flags: [],
    keys: () => [],
    execute: () => RedisResult.nil(),
  });
  return [echo, tooLarge];
}
