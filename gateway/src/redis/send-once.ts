import type { Command } from "../resp/command.js";
import { isError, lineOf } from "../resp/replies.js";
import { UpstreamFailure } from "./failure.js";
import { RedisSocket, type RedisSocketOptions } from "./redis-socket.js";

/**
 * Opens a connection, sends one command, closes the connection, and returns the reply.
 * @throws {UpstreamFailure} if there is no reply in time, or it is an error
 */
export function sendOnce(options: RedisSocketOptions, command: Command): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const end = (reply: Buffer | null, reason: string) => {
      clearTimeout(timer);
      connection.close();
      if (reply) resolve(reply);
      else reject(new UpstreamFailure("unreachable", reason));
    };
    const connection = new RedisSocket(options, {
      onUp: () => connection.send(command),
      onReply(reply) {
        if (reply && isError(reply)) end(null, `it replied ${lineOf(reply)}`);
        else end(reply, "its reply is too large");
      },
      onDown: (reason) => end(null, reason),
    });
    const timer = setTimeout(() => end(null, "no reply in time"), options.connectTimeout);
    connection.open();
  });
}
