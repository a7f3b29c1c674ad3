import { encodeArgs, json, rest } from "../commands/args.js";
import { findSpec, isWrite } from "../commands/registry.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError } from "../errors.js";

/** Commands that change a connection's state: over HTTP, requests share connections. */
const CONNECTION_STATE =
  /^(AUTH|ASKING|CLIENT|DISCARD|EXEC|HELLO|MONITOR|MULTI|\w*SUBSCRIBE|QUIT|READONLY|READWRITE|RESET|SELECT|(UN)?WATCH)$/;

const encodeRaw = encodeArgs([rest(json, 0)]);

/**
 * Returns the spec and arguments of the command of `exec()`, whose name and arguments are `argv`.
 * @throws ArgumentError if there is no name or it has white space, or if the command changes the state of a connection.
 */
export function rawCommand(argv: readonly unknown[]): [CommandSpec, unknown[]] {
  const [name, ...args] = Array.isArray(argv) ? argv : [];
  if (typeof name !== "string" || !/^\S+$/.test(name)) {
    throw new ArgumentError('exec: pass an array with each word apart, such as ["CONFIG", "GET", "x"]');
  }
  const command = name.toUpperCase();
  if (CONNECTION_STATE.test(command)) {
    throw new ArgumentError(
      `${command} changes the state of a connection, which requests share: use redis.multi() for transactions`,
      { command },
    );
  }
  return [
    {
      name: command,
      write: (rest) => isWrite([command, ...rest]),
      encodeArgs: encodeRaw,
      // As for a script, the reply may be anything.
      reply: findSpec(["EVAL"])[0]!.reply,
    },
    args,
  ];
}
