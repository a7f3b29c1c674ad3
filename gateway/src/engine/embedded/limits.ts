const MB = 1024 * 1024;

/** The limits of the embedded engine. Commands beyond them get an error reply. */
export interface EmbeddedLimits {
  /** Maximum size of a string value, and of a command, in bytes. Default: 64 MB. */
  readonly maxStringBytes: number;
  /** Largest reply of the commands that can repeat a value (MGET, HMGET, SRANDMEMBER...), in bytes. Default 256 MB. */
  readonly maxReplyBytes: number;
  /** Maximum memory in bytes. Above it, commands that add data are refused with OOM. Default 512 MB. */
  readonly maxMemoryBytes: number;
  /** Maximum number of keys in all databases. Default 1,000,000. */
  readonly maxKeys: number;
  /** Maximum number of Lua instructions of one script. Default: 100 million, which take less than a second. */
  readonly maxScriptSteps: number;
}

/** Sized for a laptop and for tests: far more than either needs, far less than would hurt the machine. */
export const defaultLimits: EmbeddedLimits = {
  maxStringBytes: 64 * MB,
  maxReplyBytes: 256 * MB,
  maxMemoryBytes: 512 * MB,
  maxKeys: 1_000_000,
  maxScriptSteps: 100_000_000,
};

/** A size in bytes as people write it: `64 MB`, or `1500 bytes` where it is not a whole number of MB. */
export function sizeText(bytes: number): string {
  return bytes % MB === 0 ? `${bytes / MB} MB` : `${bytes} bytes`;
}
