import type { OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";
import { command } from "../../resp/command.js";
import { contentsOf, decode } from "../../resp/replies.js";
import { type Address, addressOf, nameOf } from "../cluster/topology.js";
import type { UpstreamCounters } from "../counters.js";
import { PrimaryFinder } from "../primary-finder.js";
import type { Reachability } from "../reachability.js";
import { RedisSocket, type RedisSocketOptions } from "../redis-socket.js";
import type { RemoteEngine } from "../redis-url.js";
import { sendOnce } from "../send-once.js";
import { PING } from "../server.js";

/** Timeout in ms for a Sentinel's reply. */
const SENTINEL_TIMEOUT = 1_000;
/** Delay in ms before the next query if no Sentinel replied, or if the connection that pushes changes was lost. */
const RETRY_DELAY = 1_000;
/** Interval in ms between queries otherwise, in addition to the pushed changes. */
const INTERVAL = 10_000;

/**
 * Tracks the primary of a group by its Sentinels. One Sentinel pushes changes, and all are queried at intervals.
 * Connections to a former primary are closed.
 */
export class Sentinel extends PrimaryFinder {
  override readonly repeatsReads = true;
  readonly #open = new Set<Duplex>();
  /** Addresses of the Sentinels. The ones that replied come first. */
  #sentinels: readonly string[];
  #primary: string | null = null;
  #lastError = "no Sentinel was queried yet";
  #connection: RedisSocket | null = null;
  #querying = false;
  #queriedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #isResting = false;

  /** @param reachability records that no Sentinel returned the address of the first primary. Default: it is not recorded */
  constructor(
    private readonly engine: RemoteEngine,
    private readonly counters: UpstreamCounters,
    private readonly reachability?: Reachability,
  ) {
    super();
    this.#sentinels = engine.addresses.map(nameOf);
  }

  open(): void {
    if (!this.#timer) void this.#query();
  }

  override waitsFor(): boolean {
    return true;
  }

  override queryAgain(): void {
    if (performance.now() - this.#queriedAt >= RETRY_DELAY / 4) void this.#query();
  }

  /** Opens a connection to the primary. @throws {Error} while it is not known where that is */
  connect(onRead?: OnReadOpts): Duplex {
    this.open();
    if (this.#primary === null) throw new Error(this.#lastError);
    const socket = this.engine.connectTo(addressOf(this.#primary), onRead);
    this.#open.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      // The primary may have died, and another taken its place.
      void this.#query();
    });
    return socket;
  }

  /** Stops asking until {@link wake}. */
  rest(): void {
    this.#isResting = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#connection?.close();
    this.#connection = null;
  }

  wake(): void {
    this.#isResting = this.#closed;
    if (this.#primary !== null) this.open();
  }

  close(): void {
    this.#closed = true;
    this.rest();
  }

  async #query(): Promise<void> {
    if (this.#querying || this.#isResting) return;
    this.#querying = true;
    this.#queriedAt = performance.now();
    clearTimeout(this.#timer);
    const { group } = this.engine;
    let replied = false;
    for (const name of this.#sentinels) {
      try {
        const reply = decode(
          await sendOnce(this.#to(name), command("SENTINEL", "get-master-addr-by-name", group)),
        );
        if (!Array.isArray(reply)) throw new Error(`the Sentinels have no group "${group}"`);
        this.#found({ host: String(reply[0]), port: Number(reply[1]) });
        this.#sentinels = [name, ...this.#sentinels.filter((other) => other !== name)];
        replied = true;
        this.#listen(name);
        break;
      } catch (error) {
        this.#lastError = `no Sentinel returned the address of the primary: ${(error as Error).message}`;
      }
      if (this.#closed) return;
    }
    this.#querying = false;
    if (this.#isResting) return;
    if (this.#primary === null) this.reachability?.down(this.#lastError);
    this.#timer = setTimeout(() => void this.#query(), replied ? INTERVAL : RETRY_DELAY).unref();
  }

  #found(address: Address): void {
    const name = nameOf(address);
    if (name === this.#primary) return;
    const isChange = this.#primary !== null;
    this.#primary = name;
    if (!isChange) return;
    this.counters.topologyChanges++;
    // Commands in flight there may have run or not. No more are written there.
    for (const socket of this.#open) socket.destroy();
    this.emit("change");
  }

  /** Subscribes to a Sentinel's changes. */
  #listen(name: string): void {
    if (this.#connection || this.#isResting) return;
    const connection = new RedisSocket(this.#to(name), {
      onUp: () => connection.send(command("SUBSCRIBE", "+switch-master")),
      onReply: (reply) => reply && this.#onMessage(contentsOf(reply)),
      onDown: () => {
        this.#connection = null;
        if (!this.#isResting) this.#timer = setTimeout(() => void this.#query(), RETRY_DELAY).unref();
      },
    });
    this.#connection = connection;
    connection.open();
  }

  /** `message`, the channel, and: group, old host, old port, new host, new port. */
  #onMessage([kind, , text]: readonly Buffer[]): void {
    if (kind?.toString() !== "message" || !text) return;
    const [group, , , host, port] = text.toString().split(" ");
    if (group === this.engine.group && host && port) this.#found({ host, port: Number(port) });
  }

  #to(name: string): RedisSocketOptions {
    const { connectTo, sentinelHandshake } = this.engine;
    return {
      connect: (onRead) => connectTo(addressOf(name), onRead),
      handshake: [...sentinelHandshake, PING],
      connectTimeout: SENTINEL_TIMEOUT,
      maxReplySize: 64 * 1024,
      counters: this.counters,
    };
  }
}
