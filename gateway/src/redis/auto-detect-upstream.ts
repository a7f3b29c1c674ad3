import { EventEmitter } from "node:events";
import { type Command, command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import type { Activity } from "./activity.js";
import type { Receiver } from "./failure.js";
import type { RedisSocketOptions } from "./redis-socket.js";
import { pingReply, type Server } from "./server.js";
import type { Cancel, TransactionReceiver, Upstream } from "./upstream.js";

const INFO = command("INFO", "cluster");
/** Delay in ms before INFO is sent again to a server that did not reply. */
const AGAIN = 1_000;

const nothing: Cancel = () => {};

/** The detected kind of server, shared by all users, since some may not run INFO. Emits `found` when it is known. */
export class Finding extends EventEmitter<{ found: [isCluster: boolean] }> {
  /** Null until the server was detected. */
  isCluster: boolean | null = null;

  constructor() {
    super();
    this.setMaxListeners(0);
  }

  resolve(isCluster: boolean): void {
    this.isCluster = isCluster;
    this.emit("found", isCluster);
  }
}

/**
 * A server that may be a node of a cluster. The upstream sends it INFO, and commands wait until its first reply. A result
 * found for another user counts as well.
 */
export class AutoDetectUpstream implements Upstream {
  readonly #stopResting: Cancel | undefined;
  /** Calls that wait for the first result. Null once it is there. */
  #waiting: (() => void)[] | null = [];
  #upstream: Upstream;
  #detecting = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param cluster creates the upstream that replaces the server if it is a node of a cluster
   * @param finding the result found so far, shared with other users
   * @param activity when Redis is not used, so that INFO is not sent again
   */
  constructor(
    private readonly server: Server,
    private readonly cluster: () => Upstream,
    private readonly finding: Finding,
    private readonly activity?: Activity,
  ) {
    this.#upstream = server;
    finding.once("found", this.#settle);
    this.#stopResting = activity?.add({
      rest: () => clearTimeout(this.#timer),
      wake: () => {
        // A pause that rest has ended is not waited for.
        if (this.#detecting && this.finding.isCluster === null) this.#detectAgain();
      },
    });
  }

  get sharding(): Upstream["sharding"] {
    return this.#upstream.sharding;
  }

  get pushOptions(): RedisSocketOptions {
    return { ...this.server.pushOptions, connect: (onRead) => this.#upstream.pushOptions.connect(onRead) };
  }

  get connections(): Upstream["connections"] {
    return this.#upstream.connections;
  }

  get pending(): number {
    return this.#upstream.pending + (this.#waiting?.length ?? 0);
  }

  open(): void {
    this.server.open();
    this.#detect();
  }

  send(commands: readonly Command[], receiver: Receiver, deadline?: number): void {
    if (!this.#waiting) this.#upstream.send(commands, receiver, deadline);
    else {
      this.#whenKnown(deadline, (until) => {
        this.#upstream.send(commands, receiver, until);
        return nothing;
      });
    }
  }

  sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel {
    return this.#whenKnown(deadline, (until) => this.#upstream.sendAlone(commands, waits, receiver, until));
  }

  transaction(commands: readonly Command[], receiver: TransactionReceiver, deadline?: number): Cancel {
    return this.#whenKnown(deadline, (until) => this.#upstream.transaction(commands, receiver, until));
  }

  ping(timeout = this.server.timeout): Promise<Buffer | null> {
    return this.#waiting ? pingReply(this, timeout) : this.#upstream.ping(timeout);
  }

  endWaits(within: number): void {
    for (const upstream of new Set([this.server, this.#upstream])) upstream.endWaits(within);
  }

  close(): void {
    this.#closed = true;
    this.finding.off("found", this.#settle);
    this.#stopResting?.();
    clearTimeout(this.#timer);
    this.#upstream.close();
    this.server.close();
    this.#release();
  }

  /** Calls `run` now, or once the kind of server is known. The wait counts against the deadline. */
  #whenKnown(deadline: number | undefined, run: (until?: number) => Cancel): Cancel {
    if (!this.#waiting) return run(deadline);
    const until = deadline ?? performance.now() + this.server.timeout;
    let cancel = nothing;
    this.#waiting.push(() => {
      cancel = run(until);
    });
    this.#detect();
    return () => cancel();
  }

  #detect(): void {
    if (this.#detecting || this.#closed) return;
    this.#detecting = true;
    this.server.send([INFO], {
      cancelled: false,
      onReply: (reply) => {
        if (!isError(reply)) this.finding.resolve(/^cluster_enabled:1\r?$/m.test(reply.toString("latin1")));
        // For a user that may not run INFO, the server counts as a single one.
        else if (this.finding.isCluster === null) this.#release();
      },
      onFailure: () => this.#detectLater(),
    });
  }

  /** Lets what waits go on, and sends INFO again after a pause. */
  #detectLater(): void {
    this.#release();
    if (this.#closed || this.finding.isCluster !== null || this.activity?.isResting) return;
    this.#timer = setTimeout(() => this.#detectAgain(), AGAIN).unref();
  }

  #detectAgain(): void {
    clearTimeout(this.#timer);
    this.#detecting = false;
    this.#detect();
  }

  #settle = (isCluster: boolean): void => {
    clearTimeout(this.#timer);
    this.#detecting = true;
    if (isCluster) {
      this.#upstream = this.cluster();
      this.#upstream.open();
      // Commands may be in flight.
      setTimeout(() => this.server.close(), 2 * this.server.timeout).unref();
    }
    this.#release();
  };

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const run of waiting) run();
  }
}
