/** Maximum length in bytes of a name that is cached. No command of Redis has a longer one. */
const MAX_NAME = 32;
const MAX_CACHED_NAMES = 1_000;

/** Names seen before, by a hash of their letters, since a lookup costs less than decoding the text. */
const seen = new Map<number, string>();

/**
 * Returns the argument `bytes[from, to)` as the name of a command: in upper case, cut at a NUL byte. Redis compares some names
 * as C strings, so `post\0x` is `post` to it.
 */
export function commandName(bytes: Buffer, from: number, to: number): string {
  if (to - from > MAX_NAME) return asName(bytes.toString("latin1", from, to));
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i]! & 0xdf)) | 0;
  const cached = seen.get(hash);
  if (cached !== undefined && spells(bytes, from, to, cached)) return cached;
  const name = asName(bytes.toString("latin1", from, to));
  if (seen.size >= MAX_CACHED_NAMES) seen.clear();
  if (spells(bytes, from, to, name)) seen.set(hash, name);
  return name;
}

/** Returns Latin-1 text (one character per byte) as the name of a command. */
export function asName(text: string): string {
  const nul = text.indexOf("\0");
  return (nul < 0 ? text : text.slice(0, nul)).toUpperCase();
}

/** Whether these bytes spell a name, in upper or lower case. */
function spells(bytes: Buffer, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[from + i]!;
    if ((byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte) !== name.charCodeAt(i)) return false;
  }
  return true;
}
