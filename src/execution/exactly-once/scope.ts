import type { CommandArg } from "../../protocol/args.js";
import { CHECK_PATH } from "./script.js";

/** A condition that the script of a write checks first. */
export interface WriteCheck {
  /** Its Lua code, one of the checks in script.ts. */
  readonly lua: string;
  /** The key that it reads, the last key of the script. */
  readonly key: string;
  /** Its arguments, the last of the script. */
  readonly args: readonly string[];
}

/** The token of one write of a scope. */
export interface ScopedWrite {
  /** The end of the token's name: ASCII without braces. */
  readonly id: string;
  readonly check: WriteCheck | undefined;
}

/** Numbers the writes of one delivery. */
export interface WriteScope {
  /** Returns the token of the next write, or undefined if the write gets a random one. */
  next(argv: readonly CommandArg[]): ScopedWrite | undefined;
  /** Returns a scope within this one, which takes its next ordinal. Its writes are numbered by themselves. */
  fork(): WriteScope;
}

/**
 * Returns a scope whose tokens derive from its name, the ordinal of the write and its arguments.
 * @param name well-formed text.
 * @param strict whether a write that differs from that of an earlier run is refused.
 * @param prefix precedes the ordinals.
 */
export function createScope(name: string, strict = false, prefix = ""): WriteScope {
  let writes = 0;
  return {
    fork: () => createScope(name, strict, `${prefix}${++writes}.`),
    next(argv) {
      const ordinal = prefix + ++writes;
      const digest = hash(argv);
      return {
        id: `${encodeURIComponent(name)}:${ordinal}:${digest}`,
        check: strict
          ? { lua: CHECK_PATH, key: `${name}:wl:path`, args: [ordinal, `${argv[0]} ${digest}`] }
          : undefined,
      };
    },
  };
}

/**
 * Returns 64 bits of the arguments in base 36. Two lanes take the length of each argument and its code units or bytes, each by
 * xor, a multiplier of MurmurHash3's finalizer, and a shift. Arguments can be chosen to collide.
 */
function hash(argv: readonly CommandArg[]): string {
  let one = 1;
  let other = 2;
  for (const arg of argv) {
    for (let i = -1; i < arg.length; i++) {
      const value = i < 0 ? arg.length : typeof arg === "string" ? arg.charCodeAt(i) : arg[i]!;
      one = Math.imul(one ^ value, 0x85ebca6b);
      one ^= one >>> 13;
      other = Math.imul(other ^ value, 0xc2b2ae35);
      other ^= other >>> 16;
    }
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}
