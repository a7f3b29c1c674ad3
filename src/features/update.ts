import type { Key } from "../commands/reply-mode.js";
import { ArgumentError, ConfigError, WarmlineError } from "../errors.js";
import type { CommandExecutor } from "../execution/executor.js";
import { concat, textIfUtf8, toBytes } from "../protocol/bytes.js";
import type { Codec } from "../protocol/codec.js";
import type { Bulk } from "../protocol/reply.js";

/**
 * If the value of the key is still the one that was read, sets it to ARGV[2], or deletes the key if there is no ARGV[2], and returns 1.
 * Otherwise returns 0. ARGV[1] is "+" followed by the value that was read, or "-" if there was none, for which GET returns false.
 */
const COMPARE_AND_SET = `local c,k,a,b=redis.call,KEYS[1],ARGV[1],ARGV[2]
if (a~="-" and string.sub(a,2))~=c("GET",k) then return 0 end
if b then c("SET",k,b,"KEEPTTL") else c("DEL",k) end
return 1`;

/** Settings of an optimistic update. */
export interface UpdateOptions {
  /** Maximum number of attempts while other clients change the key. Default 10. */
  attempts?: number | undefined;
}

/** Returns the new value of a key from its current one: null deletes the key, undefined leaves it unchanged. */
export type Updater<T> = (current: T | null) => T | null | undefined | Promise<T | null | undefined>;

/** A codec that leaves values unchanged. */
const STORED: Codec = { encode: (value) => value, decode: (stored) => stored };

/**
 * Reads a key, changes its value by a function, and stores the result. If another client changed the key meanwhile, it starts over.
 * Over HTTP this replaces WATCH, which needs a connection of its own.
 * @param change gets the value or null. It may be called several times.
 * @returns the stored value, or null.
 * @throws ConfigError in a scope of exactly-once writes, as in `idempotent`: a repeat of the scope would change the value again.
 * ArgumentError if `change` is no function, if `attempts` is below 1, or if the codec reads text and the stored value is not UTF-8: decoded
 * as text, its bytes would become U+FFFD and be written back that way. WarmlineError if other clients changed the key at every
 * attempt.
 */
export async function update<T>(
  executor: CommandExecutor,
  key: Key,
  change: Updater<T>,
  { attempts = 10 }: UpdateOptions = {},
): Promise<T | null> {
  if (typeof change !== "function") throw new ArgumentError("update: pass a function", { command: "update" });
  if (!(attempts >= 1)) throw new ArgumentError("update: attempts must be 1 or more", { command: "update" });
  const { codec, scope, writes } = executor.settings;
  if (scope && writes === "exactly-once")
    throw new ConfigError(
      'update can\'t be run exactly once in a scope; use redis.with({ writes: "at-most-once" })',
      { command: "update" },
    );
  // At most once: a repeat would find the value that its first copy stored, fail, and `change` would be applied a second time.
  const plain = executor.withSettings({ codec: STORED, writes: "at-most-once", near: false });
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = (await plain.call("get", key)) as Bulk | null;
    const args: unknown[] = [stored ? tagged(stored.bytes()) : "-"];
    if (codec.text && typeof args[0] !== "string")
      throw new ArgumentError('update: the value is not UTF-8: codec must be "bytes"', { command: "update" });
    const current = stored && (codec.decode(stored) as T);
    const next = await change(current);
    if (next === undefined) return current;
    if (next !== null) args.push(codec.encode(next));
    if ((await plain.call("eval", COMPARE_AND_SET, [key], args)) === 1) return next;
  }
  throw new WarmlineError(`update: another client changed the key ${attempts} times`, {
    outcome: "answered",
    command: "EVAL",
  });
}

/** Returns "+" and the value, as text if it is UTF-8. */
function tagged(stored: Uint8Array): string | Uint8Array {
  const bytes = concat([toBytes("+"), stored]);
  return textIfUtf8(bytes) ?? bytes;
}
