import type { CommandSpec } from "../commands/spec.js";
import { isWrite } from "../commands/write.js";
import type { CommandExecutor } from "../execution/executor.js";

/** Commands that change a connection's state: over HTTP, requests share connections. */
const CONNECTION_STATE =
  /^(AUTH|ASKING|CLIENT|DISCARD|EXEC|HELLO|MONITOR|MULTI|[PS]?(UN)?SUBSCRIBE|QUIT|READONLY|READWRITE|RESET|SELECT|(UN)?WATCH)$/;

/**
 * The spec and arguments of a command given argument by argument.
 * @throws ArgumentError when it is not a command's arguments, or one that changes a connection's state.
 */
export function rawCommand(executor: CommandExecutor, argv: readonly unknown[]): [CommandSpec, unknown[]] {
  const [name, ...args] = Array.isArray(argv) ? argv : [];
  if (typeof name !== "string" || name === "") {
    const message = 'pass an array that begins with the command\'s name, such as ["GET", "key"]';
    throw executor.errorFactory("exec")("ArgumentError", message, { command: undefined });
  }
  const command = name.toUpperCase();
  if (/\s/.test(name)) {
    throw executor.errorFactory("exec")(
      "ArgumentError",
      "the command's name contains a space: pass each part as an argument of its own",
      {
        command: undefined,
      },
    );
  }
  if (CONNECTION_STATE.test(command)) {
    const failure = executor.errorFactory(
      `${command} changes the state of a connection, and over HTTP connections are shared`,
    );
    throw failure("ArgumentError", "use redis.multi() for transactions", { command });
  }
  return [
    {
      name: command,
      write: (rest) => isWrite([command, ...rest], executor.findSpec),
      encodeArgs: executor.encodeRaw,
      // A script's result may be anything too.
      reply: executor.findSpec(["EVAL"])[0]!.reply,
    },
    args,
  ];
}
