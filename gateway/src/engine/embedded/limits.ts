const MB = 1024 * 1024;

/** The limits of the embedded engine: far more than a laptop or tests need, and far less than would hurt the machine. */
export const defaultLimits = {
  /** Maximum size of a string value, and of a command, in bytes. */
  maxStringBytes: 64 * MB,
  /** Largest reply of the commands that can repeat a value (MGET, HMGET, SRANDMEMBER...), in bytes. */
  maxReplyBytes: 256 * MB,
  /** Maximum memory in bytes. Above it, commands that add data are refused with OOM. */
  maxMemoryBytes: 512 * MB,
  /** Maximum number of keys in all databases. */
  maxKeys: 1_000_000,
  /** Maximum number of Lua instructions of one script. They take less than a second. */
  maxScriptSteps: 100_000_000,
};

/** Commands beyond these limits get an error reply. */
export type EmbeddedLimits = Readonly<typeof defaultLimits>;

/** A size in bytes as people write it: `64 MB`, or `1500 bytes` where it is not a whole number of MB. */
export function sizeText(bytes: number): string {
  return bytes % MB === 0 ? `${bytes / MB} MB` : `${bytes} bytes`;
}
