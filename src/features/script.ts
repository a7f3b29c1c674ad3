import type { Key } from "../commands/reply-mode.js";
import { RedisError } from "../errors.js";
import type { CommandExecutor } from "../execution/executor.js";
import { toBytes, toHex } from "../protocol/bytes.js";

/** A Lua script, sent by its digest; its text follows only if the server has not loaded it yet. */
export interface Script<T = unknown, Args extends readonly unknown[] = unknown[]> {
  /** The script's text. */
  readonly script: string;
  /** The script's SHA-1 digest. On the entry on `fetch` it is an empty string for a tick or more. */
  readonly sha1: string;
  /** Runs it by its text. */
  eval(keys?: Key[], args?: Args): Promise<T>;
  /** Runs it by its digest; rejects with a `NOSCRIPT` RedisError if the server has not loaded it. */
  evalsha(keys?: Key[], args?: Args): Promise<T>;
  /** Runs it by its digest. If the server has not loaded it, runs it by its text, which loads it. */
  exec(keys?: Key[], args?: Args): Promise<T>;
}

/** A script that only reads, and so may run on a replica and be repeated. */
export interface ReadonlyScript<T = unknown, Args extends readonly unknown[] = unknown[]>
  extends Script<T, Args> {
  /** Runs it by its text, as `eval` does here. */
  evalRo(keys?: Key[], args?: Args): Promise<T>;
  /** Runs it by its digest, as `evalsha` does here. */
  evalshaRo(keys?: Key[], args?: Args): Promise<T>;
}

/**
 * Returns a script with methods that run it.
 * @param readonly whether the script only reads, and so may run on a replica and be repeated.
 */
export function createScript(executor: CommandExecutor, script: string, readonly = false): Script<any> {
  const suffix = readonly ? "Ro" : "";
  const { context } = executor;
  let sha1 = "";
  const digest = async () => {
    const bytes = await crypto.subtle.digest("SHA-1", toBytes(script));
    sha1 ||= toHex(new Uint8Array(bytes));
  };
  if (!context.sha1) digest().catch(() => {});
  const self = {
    script,
    get sha1() {
      sha1 ||= context.sha1?.(script) ?? "";
      return sha1;
    },
    eval: (keys: Key[] = [], args: unknown[] = []) => executor.call(`eval${suffix}`, script, keys, args),
    evalsha: (keys: Key[] = [], args: unknown[] = []) => {
      const send = () => executor.call(`evalsha${suffix}`, sha1, keys, args);
      return self.sha1 ? send() : digest().then(send);
    },
    exec: (keys: Key[] = [], args: unknown[] = []) =>
      self.evalsha(keys, args).catch((error) => {
        if (error instanceof RedisError && error.code === "NOSCRIPT") return self.eval(keys, args);
        throw error;
      }),
  };
  return readonly ? Object.assign(self, { evalRo: self.eval, evalshaRo: self.evalsha }) : self;
}
