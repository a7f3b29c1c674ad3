import { PushConnection, type PushConnectionOptions } from "../redis/push-connection.js";
import { type Command, command } from "../resp/command.js";
import { RespReader } from "../resp/reader.js";
import { isError, lineOf } from "../resp/replies.js";
import { STAR } from "../util/bytes.js";

const HELLO = command("HELLO", "3");
/** The type byte of a push message in RESP3. */
const PUSH = ">".charCodeAt(0);
/** Errors of a server that may accept the command later. */
const TEMPORARY = /^-(LOADING|BUSY|MASTERDOWN|TRYAGAIN|CLUSTERDOWN)/;

/** Callbacks of a {@link TrackingConnection}. */
export interface TrackingHandler {
  /** The server reports changes from now on. `isCluster` is whether it is a node of a cluster. */
  onTracking(isCluster: boolean): void;
  /** These keys have changed, or with null, any key may have. */
  onChange(keys: readonly Buffer[] | null): void;
  /** The reply to a command of {@link TrackingConnection.send}, without an error. Changes before it were reported before. */
  onReply(reply: Buffer): void;
  /**
   * The connection ended, or could not be had. `refused` is whether the server does not track changes for this user. Called
   * once, and not after {@link TrackingConnection.close}.
   */
  onDown(reason: string, refused: boolean): void;
}

/**
 * A connection on which a server reports every change of keys with a prefix, in RESP3. With one connection for both, a
 * report of a change comes before the reply to a later command.
 * @see https://redis.io/docs/latest/develop/reference/client-side-caching/
 */
export class TrackingConnection {
  readonly #connection: PushConnection;
  readonly #handler: TrackingHandler;
  /** Replies so far: to HELLO, to CLIENT TRACKING, and to what was sent later. */
  #replies = 0;
  #isCluster = false;
  #ended = false;

  constructor(options: PushConnectionOptions, prefixes: readonly string[], handler: TrackingHandler) {
    this.#handler = handler;
    const tracking = command(
      ...["CLIENT", "TRACKING", "ON", "BCAST"],
      ...prefixes.flatMap((prefix) => (prefix === "" ? [] : ["PREFIX", prefix])),
    );
    this.#connection = new PushConnection(
      { ...options, resp3: true },
      {
        onUp: () => {
          this.#connection.send(HELLO);
          this.#connection.send(tracking);
        },
        onReply: (reply) => this.#onReply(reply),
        onDown: (reason) => this.#down(reason, false),
      },
    );
  }

  /** Connects. No callback is called before this returns. */
  open(): void {
    this.#connection.open();
  }

  /** Sends a command, once the server reports changes. */
  send(sent: Command): void {
    this.#connection.send(sent);
  }

  /** Ends the connection in silence. */
  close(): void {
    this.#ended = true;
    this.#connection.close();
  }

  #onReply(reply: Buffer | null): void {
    if (this.#ended) return;
    // Only a report of very many keys is too large.
    if (!reply) this.#handler.onChange(null);
    else if (reply[0] === PUSH) this.#onPush(reply);
    else if (isError(reply)) {
      // It is no barrier: while a script is running, -BUSY overtakes the reports of earlier changes.
      this.close();
      this.#down(`it replied ${lineOf(reply)}`, !TEMPORARY.test(reply.toString("latin1", 0, 16)));
    } else if (++this.#replies > 2) this.#handler.onReply(reply);
    else if (this.#replies === 1)
      this.#isCluster = /\bmode\r\n\$7\r\ncluster\r\n/.test(reply.toString("latin1"));
    else this.#handler.onTracking(this.#isCluster);
  }

  /** `invalidate` and a list of keys, or a null for all of them. */
  #onPush(push: Buffer): void {
    const reader = new RespReader(push);
    reader.nextLength();
    if (reader.nextContent().toString("latin1") !== "invalidate") return;
    if (reader.type !== STAR) {
      this.#handler.onChange(null);
      return;
    }
    const length = reader.nextLength();
    this.#handler.onChange(Array.from({ length }, () => reader.nextContent()));
  }

  #down(reason: string, refused: boolean): void {
    this.#ended = true;
    this.#handler.onDown(reason, refused);
  }
}
