import { type BenchClient, built, handlerPath } from "../client/bench-client.js";
import { GatewayMetrics, type GatewaySample } from "../fleet/metrics.js";
import type { Crowd, CrowdMessage } from "../handlers/flood-crowd.js";
import type { RecordedPhase, UsersMessage } from "../handlers/flood-users.js";
import type { Rig } from "../rig/rig.js";
import { Child } from "../util/child.js";

/** The flood: number of connections, the time in ms over which they open, and how often each sends a request. */
export interface Flood {
  readonly connections: number;
  readonly overMs: number;
  /** Null: one request, and then the connection is idle. */
  readonly everyMs: number | null;
}

/** The measurements of one flood, with the time before and after it. Latencies are in ms, memory in MB. */
export interface FloodSample extends Crowd {
  readonly quiet: readonly number[];
  readonly flood: readonly number[];
  readonly after: readonly number[];
  /** Active connections that were lost so far. */
  readonly usersLost: number;
  /** Connections open when the flood stood highest, and after it. */
  readonly openFlood: number;
  readonly openAfter: number;
  readonly memoryQuiet: number;
  readonly memoryFlood: number;
  readonly memoryAfter: number;
  /** Connections to Redis. */
  readonly upstream: number;
}

/** The measurements of connections that are held idle. */
export interface IdleHeld {
  readonly open: number;
  /** Connections to Redis. */
  readonly upstream: number;
  /** Idle connections that responded once more at the end. */
  readonly answered: number;
  /** Memory per connection in KB. */
  readonly kbEach: number;
}

/** Timeout in ms for the flood's connections to close. */
const EBB_MS = 10_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A gateway with two processes beside it: one of active connections, one that floods it. */
export class FloodSite {
  private constructor(
    private readonly address: { readonly port: number; readonly token: string },
    private readonly metrics: GatewayMetrics,
    private readonly users: Child,
    private readonly crowd: Child,
  ) {}

  static async start({ gateway }: Rig): Promise<FloodSite> {
    const [users, crowd] = await Promise.all(
      ["flood-users", "flood-crowd"].map((name) => Child.start([process.execPath, handlerPath(name)])),
    );
    const { port, token, url } = gateway;
    return new FloodSite({ port, token }, new GatewayMetrics(url, token), users!, crowd!);
  }

  /** Starts connections that send a request every `everyMs` ms on average, at times that the seed determines. */
  async startUsers(users: number, everyMs: number, seed: number, client?: BenchClient): Promise<void> {
    const file = client && { client: built(`clients/${client.name}.js`) };
    const start: UsersMessage = { start: { ...this.address, users, everyMs, seed, ...file } };
    await this.users.request(start);
  }

  /** Floods the gateway once. */
  async flood(flood: Flood, quietMs: number, users: number): Promise<FloodSample> {
    const before = await this.metrics.sample();
    const quiet = await this.record(quietMs);
    const [during] = await Promise.all([this.record(flood.overMs), this.come(flood)]);
    const high = await this.metrics.sample();
    const crowd = await this.send<Crowd>({ go: true });
    const low = await this.ebbed(users);
    const after = await this.record(quietMs);
    const end = await this.metrics.sample();
    return {
      ...crowd,
      quiet: quiet.latencies,
      flood: during.latencies,
      after: after.latencies,
      usersLost: after.lost,
      openFlood: high.open,
      openAfter: low.open,
      memoryQuiet: before.memoryMb,
      memoryFlood: high.memoryMb,
      memoryAfter: end.memoryMb,
      upstream: high.upstream,
    };
  }

  /** Opens idle connections, uses each once more, and closes them. */
  async holdIdle(idle: Flood): Promise<IdleHeld> {
    const before = await this.metrics.sample();
    await this.come(idle);
    await pause(1_000);
    const { open, upstream, memoryMb } = await this.metrics.sample();
    const { answered } = await this.send<{ answered: number }>({ callOnce: true });
    await this.send({ go: true });
    return { open, upstream, answered, kbEach: ((memoryMb - before.memoryMb) * 1_000) / idle.connections };
  }

  close(): void {
    this.users.stop();
    this.crowd.stop();
    this.metrics.close();
  }

  private come(flood: Flood): Promise<unknown> {
    return this.send({ come: { ...this.address, ...flood } });
  }

  private send<T>(message: CrowdMessage): Promise<T> {
    return this.crowd.request(message);
  }

  private record(recordMs: number): Promise<RecordedPhase> {
    const message: UsersMessage = { recordMs };
    return this.users.request(message);
  }

  /** Returns the gateway's counts once only active connections are left, or after {@link EBB_MS}. */
  private async ebbed(users: number): Promise<GatewaySample> {
    const deadline = performance.now() + EBB_MS;
    for (;;) {
      const sample = await this.metrics.sample();
      if (sample.open <= users || performance.now() > deadline) return sample;
      await pause(100);
    }
  }
}
