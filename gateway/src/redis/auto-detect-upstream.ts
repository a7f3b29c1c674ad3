import type { Command } from "../resp/command.js";
import type { AddressWatch } from "./address-watch.js";
import type { Receiver } from "./failure.js";
import { PING, pingReply, type Server } from "./server.js";
import type { Cancel, ConnectionOptions, TransactionReceiver, Upstream } from "./upstream.js";

const nothing: Cancel = () => {};

/**
 * A server that may be a node of a cluster. Commands wait until the first attempt to connect has ended: every
 * new connection tells what it has reached. If its user may not run INFO, the server counts as a single one.
 */
export class AutoDetectUpstream implements Upstream {
  /** Calls that wait for the first attempt. Null once that has ended. */
  #waiting: (() => void)[] | null = [];
  #upstream: Upstream;

  /** @param cluster creates the upstream that replaces the server if it is a node of a cluster */
  constructor(
    private readonly server: Server,
    private readonly cluster: () => Upstream,
    private readonly watch: AddressWatch,
  ) {
    this.#upstream = server;
    watch.once("identified", this.#settle);
  }

  get sharding(): Upstream["sharding"] {
    return this.#upstream.sharding;
  }

  get connectionOptions(): ConnectionOptions {
    const { connectionOptions } = this.server;
    return { ...connectionOptions, connect: (onRead) => this.#upstream.connectionOptions.connect(onRead) };
  }

  get connections(): Upstream["connections"] {
    return this.#upstream.connections;
  }

  get pending(): number {
    return this.#upstream.pending + (this.#waiting?.length ?? 0);
  }

  open(): void {
    this.#whenKnown(undefined, () => {
      this.#upstream.open();
      return nothing;
    });
  }

  send(commands: readonly Command[], receiver: Receiver, deadline?: number): void {
    this.#whenKnown(deadline, (until) => {
      this.#upstream.send(commands, receiver, until);
      return nothing;
    });
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
    this.watch.off("identified", this.#settle);
    this.#upstream.close();
    this.server.close();
    this.#release();
  }

  /** Calls `run` now, or after the first attempt to connect. The wait counts against the deadline. */
  #whenKnown(deadline: number | undefined, run: (until?: number) => Cancel): Cancel {
    if (!this.#waiting) return run(deadline);
    const until = deadline ?? performance.now() + this.server.timeout;
    let cancel = nothing;
    this.#waiting.push(() => {
      cancel = run(until);
    });
    if (this.#waiting.length === 1) {
      this.server.send([PING], { cancelled: false, onReply: this.#release, onFailure: this.#release });
    }
    return () => cancel();
  }

  #settle = (): void => {
    if (this.watch.isCluster) {
      this.#upstream = this.cluster();
      this.#upstream.open();
      // Commands may be in flight.
      setTimeout(() => this.server.close(), 2 * this.server.timeout).unref();
    }
    this.#release();
  };

  #release = (): void => {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const run of waiting) run();
  };
}
