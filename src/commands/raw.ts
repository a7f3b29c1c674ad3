import { ArgumentError } from "../errors.js";
import { nested } from "./decoders.js";
import type { Row } from "./row.js";
import { isWrite } from "./write.js";

/** Commands that change a connection's state: over HTTP a connection is nobody's own. */
const CONNECTION_STATE =
  /^(AUTH|ASKING|CLIENT|DISCARD|EXEC|HELLO|MONITOR|MULTI|P?SUBSCRIBE|P?UNSUBSCRIBE|S(UN)?SUBSCRIBE|QUIT|READONLY|READWRITE|RESET|SELECT|(UN)?WATCH)$/;

/**
 * The row and arguments of a command given word by word.
 * @throws ArgumentError when it is not a command's words, or one that changes a connection's state.
 */
export function rawCommand(command: readonly unknown[]): [Row, unknown[]] {
  const [name, ...args] = Array.isArray(command) ? command : [];
  if (typeof name !== "string" || name === "") {
    throw new ArgumentError(
      'exec: give an array that begins with the command\'s name, such as ["GET", "key"]',
      {
        outcome: "unsent",
      },
    );
  }
  const upper = name.toUpperCase();
  if (CONNECTION_STATE.test(upper)) {
    throw new ArgumentError(
      `${upper} changes the state of one connection, and over HTTP none is yours: use redis.multi() for transactions`,
      { outcome: "unsent", command: upper },
    );
  }
  return [
    {
      name: upper,
      write: (words) => isWrite([upper, ...words]),
      words: (_encode, ...words) => words,
      reply: nested,
    },
    args,
  ];
}
