import type { Key } from "../commands/kind.js";

// Nothing is imported but types: entries may load it when it is first used.

/** Sets the key to ARGV[2], or deletes it, if it still holds ARGV[1]; the first letters say which there are. */
const COMPARE_AND_SET = `local c,k,a,b=redis.call,KEYS[1],ARGV[1],ARGV[2]
if (a~="-" and string.sub(a,2))~=c("GET",k) then return 0 end
if b then c("SET",k,b,"KEEPTTL") else c("DEL",k) end
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
 * @param call calls a command by its method's name, and reads bytes.
 * @param change gets the value or null; gives the new value, null to delete the key, undefined to leave it. It may be
 * called several times.
 * @returns what is stored now, in an array, which is empty where the key was changed by others at every attempt.
 */
export async function update<T>(
  call: (method: string, ...args: unknown[]) => Promise<unknown>,
  decode: (stored: Uint8Array) => unknown,
  encode: (value: unknown) => unknown,
  key: Key,
  change: Change<T>,
  attempts: number,
): Promise<[T | null] | []> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = (await call("get", key)) as Uint8Array | null;
    const current = stored && (decode(stored) as T);
    const next = await change(current);
    if (next === undefined) return [current];
    const args: unknown[] = [stored ? tagged(stored) : "-"];
    if (next !== null) args.push(encode(next));
    if ((await call("eval", COMPARE_AND_SET, [key], args)) === 1) return [next];
  }
  return [];
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
