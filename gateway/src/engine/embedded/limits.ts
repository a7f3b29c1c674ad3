const MB = 1024 * 1024;

/** The limits of the embedded engine. Commands beyond them get an error reply. */
export interface EmbeddedLimits {
  /** Largest string value and largest single command, in bytes. Default 64 MB. */
  readonly maxStringBytes: number;
  /** Largest reply of the commands that can repeat a value (MGET, HMGET, SRANDMEMBER...), in bytes. Default 256 MB. */
  readonly maxReplyBytes: number;
  /** Most memory, in bytes, before commands that add data are refused with OOM. Default 512 MB. */
  readonly maxMemoryBytes: number;
  /** Most keys, over all databases. Default 1,000,000. */
  readonly maxKeys: number;
  /** Most Lua instructions in one script. Default 100 million, less than a second's worth. */
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
