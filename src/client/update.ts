import type { Key } from "../commands/kind.js";
import { WarmlineError } from "../errors.js";
import { BytesBulk } from "../wire/bytes.js";
import type { Codec } from "../wire/codec.js";

/** Sets the key to ARGV[2], or deletes it, if it still holds ARGV[1]; the first letters say which there are. */
const COMPARE_AND_SET = `local now = redis.call("GET", KEYS[1])
if ARGV[1] == "-" then
  if now then return 0 end
elseif now ~= string.sub(ARGV[1], 2) then
  return 0
end
if ARGV[2] then redis.call("SET", KEYS[1], ARGV[2], "KEEPTTL") else redis.call("DEL", KEYS[1]) end
return 1`;

/** Settings of an optimistic update. */
export interface UpdateOptions {
  /** How many times to begin anew when somebody else changed the key meanwhile. Default 10. */
  attempts?: number;
}

export type Change<T> = (current: T | null) => T | null | undefined | Promise<T | null | undefined>;

/**
 * Reads a key, changes its value by a function, and stores the result unless somebody else changed the key meanwhile;
 * then it begins anew. WATCH can't do this over HTTP, where a connection is nobody's own.
 * @param change gets the value or null; gives the new value, null to delete the key, undefined to leave it. It may be
 * called several times.
 * @returns what is stored now.
 */
export async function update<T>(
  read: () => Promise<Uint8Array | null>,
  run: (script: string, keys: Key[], args: unknown[]) => Promise<unknown>,
  codec: Codec,
  key: Key,
  change: Change<T>,
  { attempts = 10 }: UpdateOptions = {},
): Promise<T | null> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = await read();
    const current = stored && (codec.decode(new BytesBulk(stored, 0, stored.length)) as T);
    const next = await change(current);
    if (next === undefined) return current;
    const expected = stored ? tagged(stored) : "-";
    if (
      (await run(COMPARE_AND_SET, [key], next === null ? [expected] : [expected, codec.encode(next)])) === 1
    )
      return next;
  }
  throw new WarmlineError(`update: somebody else changed the key ${attempts} times in a row`, {
    outcome: "answered",
    command: "EVAL",
  });
}

/** "+" and the value: as text where it is text, since not every endpoint takes bytes. */
function tagged(stored: Uint8Array): string | Uint8Array {
  try {
    return `+${new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(stored)}`;
  } catch {
    const bytes = new Uint8Array(stored.length + 1);
    bytes[0] = 0x2b;
    bytes.set(stored, 1);
    return bytes;
  }
}
