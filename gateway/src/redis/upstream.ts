import type { Command } from "../resp/command.js";
import type { Sharding } from "./cluster/sharding.js";
import type { UpstreamCounters } from "./counters.js";
import type { Receiver, UpstreamFailure } from "./failure.js";
import type { RedisSocketOptions } from "./redis-socket.js";

/** Options of connections for subscriptions and MONITOR. */
export interface ConnectionOptions extends RedisSocketOptions {
  /** Timeout in ms for the confirmation of a subscription, or of MONITOR. */
  readonly timeout: number;
}

/** Cancels the operation, when its result is no longer needed. */
export type Cancel = () => void;

/** Receives the result of a transaction. Exactly one method is called. */
export interface TransactionReceiver {
  readonly cancelled: boolean;
  /** The reply of EXEC; one error for each command that Redis refused to queue, by its place. */
  onExec(reply: Buffer, refused: ReadonlyMap<number, Buffer>): void;
  onFailure(failure: UpstreamFailure): void;
}

/** The destination of the gateway's commands: one Redis, or several that act as one. */
export interface Upstream {
  readonly connectionOptions: ConnectionOptions;
  /** The nodes of sharded channels; null if one server has all. */
  readonly sharding: Sharding | null;
  /** Numbers of connections to Redis: open shared ones, and exclusive ones that are lent or idle. */
  readonly connections: { readonly shared: number; readonly blocking: number; readonly transactions: number };
  /** Commands waiting or unanswered on the shared connections. */
  readonly pending: number;
  /** Starts to connect, so that the first command finds the connection open. */
  open(): void;
  /**
   * Sends commands in their order on shared connections. The tag of each is its place. `deadline`, here and below, is the
   * deadline for all replies, on the clock of `performance.now()`. Default: the usual timeout from now.
   */
  send(commands: readonly Command[], receiver: Receiver, deadline?: number): void;
  /**
   * Sends commands in their order on connections reserved for them. `waits` holds the longest wait of each at the
   * server, in ms, which extends the deadline.
   */
  sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel;
  /** Runs commands between MULTI and EXEC. */
  transaction(commands: readonly Command[], receiver: TransactionReceiver, deadline?: number): Cancel;
  /** Returns the reply of Redis to a PING; null without one within `timeout` ms. */
  ping(timeout?: number): Promise<Buffer | null>;
  /**
   * Ends commands that block at the server, without running them. Later commands are refused. A command that can't be ended
   * and would not end by itself within `within` ms loses its connection, and may have run.
   */
  endWaits(within: number): void;
  /** Ends every connection. */
  close(): void;
}

/** A user of Redis's own access control lists. */
export interface RedisUser {
  readonly username: string;
  readonly password: string;
}

/** The upstream as each user sees it. */
export interface Upstreams {
  /** What the connections of all users have done. */
  readonly counters: UpstreamCounters;
  /**
   * Returns the upstream whose connections are signed in as this user, for use right now. Null stands for the gateway's
   * own user, whose upstream is always the same.
   */
  of(user: RedisUser | null): Upstream;
  /** Iterates over the current upstreams. The first is that of the gateway's own user. */
  [Symbol.iterator](): Iterator<Upstream>;
  /** Ends every connection of every user. */
  close(): void;
}
