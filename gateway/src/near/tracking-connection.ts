import { authErrorOf, type Login } from "../redis/credentials/login.js";
import { HELLO_3, RedisSocket, type RedisSocketOptions } from "../redis/redis-socket.js";
import { refusalOf } from "../redis/refusal.js";
import { command } from "../resp/command.js";
import { RespReader } from "../resp/reader.js";
import { isError, lineOf } from "../resp/replies.js";
import { GREATER, PLUS, STAR } from "../util/bytes.js";

export interface TrackingHandler {
  /** The server reports changes from now on. `isCluster`: whether it is a node of a cluster. */
  onTracking(isCluster: boolean): void;
  /** These keys have changed. With null, any key may have changed. */
  onChange(keys: readonly Buffer[] | null): void;
  /** A reply, never an error, to a command sent after `onTracking`. All changes before the reply have been reported. */
  onReply(reply: Buffer): void;
  /** The connection is closed. `refused`: the server does not track changes for this user. */
  onDown(reason: string, refused: boolean): void;
}

/**
 * Opens a connection on which a server reports every change of keys with one of the prefixes, in RESP3. Reports and
 * replies share the connection, so a change is reported before the reply to a later command. No callback is called before this returns.
 * @see https://redis.io/docs/latest/develop/reference/client-side-caching/
 */
export function openTracking(
  options: RedisSocketOptions,
  prefixes: readonly string[],
  handler: TrackingHandler,
): RedisSocket {
  /** Replies so far: to HELLO, to CLIENT TRACKING, and to later commands other than AUTH. */
  let replies = 0;
  let isCluster = false;
  /** The login that was last sent on this connection. */
  let lastLogin: Login | null = null;
  const connection = new RedisSocket(
    { ...options, resp3: true },
    {
      onUp() {
        connection.send(HELLO_3);
        const prefixArgs = prefixes.flatMap((prefix) => (prefix === "" ? [] : ["PREFIX", prefix]));
        connection.send(command("CLIENT", "TRACKING", "ON", "BCAST", ...prefixArgs));
      },
      onLogin: (login) => {
        lastLogin = login;
        connection.send(login.auth);
      },
      onReply(reply) {
        // The reply was too large, which only a report of very many keys can be.
        if (!reply) handler.onChange(null);
        else if (reply[0] === GREATER) onPush(reply, handler);
        else if (lastLogin && isReplyToAuth(reply, replies)) {
          if (isError(reply)) options.credentials?.refused(lastLogin, authErrorOf(reply));
        } else if (isError(reply)) {
          // An error does not prove that earlier changes were reported: -BUSY, during a long script, overtakes their reports.
          // An error that is not temporary means that this user may not track.
          connection.close();
          handler.onDown(`it replied ${lineOf(reply)}`, refusalOf(reply, null) === null);
        } else if (++replies > 2) handler.onReply(reply);
        else if (replies === 1) isCluster = /\bmode\r\n\$7\r\ncluster\r\n/.test(reply.toString("latin1"));
        else handler.onTracking(isCluster);
      },
      onDown: (reason) => handler.onDown(reason, false),
    },
  );
  connection.open();
  return connection;
}

/** Whether this is the reply to AUTH: after `onTracking`, no other command that is sent here gets +OK or -WRONGPASS. */
function isReplyToAuth(reply: Buffer, replies: number): boolean {
  return (
    replies >= 2 && (reply[0] === PLUS ? lineOf(reply) === "OK" : lineOf(reply).startsWith("WRONGPASS "))
  );
}

/** Reports the changes in a push message: `invalidate` with a list of keys, or with null for all keys. */
function onPush(push: Buffer, handler: TrackingHandler): void {
  const reader = new RespReader(push);
  reader.nextLength();
  if (reader.nextContent().toString("latin1") !== "invalidate") return;
  if (reader.type !== STAR) {
    handler.onChange(null);
    return;
  }
  const length = reader.nextLength();
  handler.onChange(Array.from({ length }, () => reader.nextContent()));
}
