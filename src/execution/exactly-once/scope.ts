import type { CommandArg } from "../../protocol/args.js";
import { CHECK_PATH } from "./script.js";

/** A condition that the script of a write checks first. */
interface WriteCheck {
  /** Its Lua code: one of the checks in script.ts. */
  readonly lua: string;
  /** The key that it reads. It is the last key of the script. */
  readonly key: string;
  /** Its arguments. They are the last arguments of the script. */
  readonly args: readonly string[];
}

/** The token of one write of a scope. */
interface ScopedWrite {
  /** The end of the token's name: ASCII without braces. */
  readonly id: string;
  readonly check: WriteCheck | undefined;
}

/** Numbers the writes of one delivery. */
export interface WriteScope {
  /** Returns the token of the next write, or undefined if the write gets a random token. */
  next(argv: readonly CommandArg[]): ScopedWrite | undefined;
  /** Returns a scope inside this one. It takes the next ordinal, and numbers its own writes. */
  fork(): WriteScope;
}

/** Casts a scope to the type of the option `scope`, which for users is a name. */
export const toScopeOption = (scope: WriteScope): string => scope as unknown as string;

/**
 * Returns a scope whose tokens derive from its name, the ordinal of the write and its arguments.
 * @param name well-formed text.
 * @param strict whether a write is refused if it differs from the write with the same ordinal in an earlier run.
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
 * Returns a hash of 64 bits of the arguments, in base 36. Two lanes mix lengths and characters or bytes, by a
 * multiplier of MurmurHash3's finalizer. The hash does not resist an attacker.
 */
function hash(argv: readonly CommandArg[]): string {
  let first = 1;
  let second = 2;
  for (const arg of argv) {
    for (let i = -1; i < arg.length; i++) {
      const value = i < 0 ? arg.length : typeof arg === "string" ? arg.charCodeAt(i) : arg[i]!;
      first = Math.imul(first ^ value, 0x85ebca6b);
      first ^= first >>> 13;
      second = Math.imul(second ^ value, 0xc2b2ae35);
      second ^= second >>> 16;
    }
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
