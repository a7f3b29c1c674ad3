import { type ChildProcess, fork } from "node:child_process";
import { resolve } from "node:path";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { type RedisConnection, startRedis } from "../../../testbed/src/index.js";
import { startFront } from "../model/front.js";
import { mulberry32 } from "../model/random.mjs";

/** The Redis of a run. */
export interface ModelRedis {
  /** The gateway's `--redis`. */
  readonly url: string;
  /** Runs a command without the gateways of the run. Rejects if it is not known whether it was applied. */
  command(...args: (string | number)[]): Promise<unknown>;
  /** Sends a command to each server. */
  everywhere(run: (command: RedisConnection["command"]) => Promise<void>): Promise<void>;
  /**
   * Makes another server the primary of some keys. Returns from when until when, by {@link now}, both may have been a primary: the
   * former one learns a moment later of its successor. Null if there was no server for it.
   */
  failOver?(): Promise<readonly [from: number, to: number] | null>;
  stop(): Promise<void>;
}

/** Options of {@link runNearModel}. */
export interface NearModelOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Default: one server. */
  readonly redis?: ModelRedis;
  /** Minimum number of times that each fault, except failovers, occurs: the run continues until then. Default: 0. */
  readonly minFaults?: number;
  /** Minimum number of reads, failed ones included: the run continues until then. Default: 0. */
  readonly minReads?: number;
  /** Whether the run ends at the first violation. */
  readonly untilViolation?: boolean;
  /** Import specifier of the module that exports `near`. Default: `warmline/near`. */
  readonly nearModule?: string;
}

/** A read that returned a value from before a change that it had to see. */
export interface Violation {
  readonly mode: string;
  readonly key: string;
  readonly value: unknown;
  /** The time in ms from the acknowledgement of the change to the latest moment at which the read had to see it. */
  readonly late: number;
}

/** The outcome of a run. */
export interface NearModelResult {
  readonly reads: number;
  readonly failed: number;
  readonly stats: Record<string, number>;
  readonly faults: Record<string, number>;
  readonly violations: readonly Violation[];
  /** Of each process's own key: the last value that it wrote, and an older one that it read after that. */
  readonly ownViolations: readonly (readonly [written: string, read: string])[];
}

/** A state of a key: from the moment its write was sent until the next one was acknowledged. */
interface State {
  readonly value: string | null;
  readonly sentAt: number;
  overwrittenAt: number;
}

const KEYS = Array.from({ length: 8 }, (_, at) => `model:${at}`);
const MAX_STALE = 150;
const TOKEN = "model";
/** Precision of Redis's times to live, in ms. */
const TTL_PRECISION = 2;

/** The present time in ms, of a clock that all processes of the machine share. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/**
 * Runs functions with near caches against a Redis that others change: functions are frozen, tracking connections are lost,
 * gateways restart, and responses are delayed, so that one overtakes another. Returns the reads that were not right: with
 * "verify", those of a value overwritten before the read began; of others, more than `maxStale` before. Each function also
 * writes a key of its own, and reads it after each write.
 */
export async function runNearModel(options: NearModelOptions): Promise<NearModelResult> {
  const random = mulberry32(options.seed);
  const redis = options.redis ?? (await startOne());
  const history = new Map(
    KEYS.map((key) => [key, [{ value: null, sentAt: 0, overwrittenAt: Infinity } as State]]),
  );
  const gateways = [await startGateway(redis, 0), await startGateway(redis, 0)];
  const front = await startFront(
    gateways.map(({ url }) => Number(new URL(url).port)),
    random,
  );
  const writers = new Writers(redis, history, random);
  const readers = Array.from({ length: 3 }, (_, at) => startReader(front.url, options, at));
  const faults: Record<string, number> = { frozen: 0, killed: 0, restarted: 0, flushed: 0, failedOver: 0 };
  /** When two servers may have been the primary of a key. */
  const overlaps: (readonly [from: number, to: number])[] = [];
  const end = now() + options.seconds * 1_000;
  /** The reads that were not right, of those before a time: later writes may not be in the history yet. */
  const violationsBefore = (time: number) =>
    readers
      .flatMap(({ reads }) => reads)
      .flatMap((read) =>
        read[0] !== "failed" && read[4] < time ? (violationOf(read, history, overlaps) ?? []) : [],
      );
  const { minFaults = 0, minReads = 0 } = options;
  const haveOccurred = () =>
    ["frozen", "killed", "restarted", "flushed"].every((name) => faults[name]! >= minFaults) &&
    readers.reduce((sum, { reads }) => sum + reads.length, 0) >= minReads;
  const isOver = () =>
    (now() > end && haveOccurred()) ||
    (options.untilViolation === true && violationsBefore(now() - 1_000).length > 0);
  const failOver = async () => {
    const overlap = await redis.failOver!();
    if (!overlap) return;
    faults.failedOver!++;
    overlaps.push(overlap);
  };
  const chaos = async () => {
    if (redis.failOver) await failOver();
    while (!isOver()) {
      await pause(50 + random() * 250);
      const kind = random();
      if (kind < 0.5) {
        const { child } = readers[Math.floor(random() * readers.length)]!;
        faults.frozen!++;
        child.kill("SIGSTOP");
        await pause(random() < 0.3 ? 500 + random() * 500 : random() * 200);
        child.kill("SIGCONT");
      } else if (kind < 0.6 && redis.failOver) {
        await failOver();
      } else if (kind < 0.75) {
        faults.killed!++;
        await redis.everywhere(killTracking);
      } else if (kind < 0.9) {
        faults.restarted!++;
        const at = Math.floor(random() * gateways.length);
        const { port } = new URL(gateways[at]!.url);
        await gateways[at]!.close();
        gateways[at] = await startGateway(redis, Number(port));
      } else {
        faults.flushed!++;
        await writers.flush();
      }
    }
  };
  try {
    writers.start();
    await chaos();
    await Promise.all(readers.map(({ stop }) => stop()));
    await writers.stop();
  } finally {
    for (const { child } of readers) child.kill("SIGKILL");
    await front.stop();
    for (const gateway of gateways) await gateway.close();
    await redis.stop();
  }
  const reads = readers.flatMap(({ reads }) => reads);
  const stats: Record<string, number> = {};
  for (const { stats: own } of readers)
    for (const [name, value] of Object.entries(own)) stats[name] = (stats[name] ?? 0) + value;
  const done = reads.filter(([mode]) => mode !== "failed");
  const violations = violationsBefore(Infinity);
  const ownViolations = readers.flatMap((reader) => reader.ownViolations);
  const failed = reads.length - done.length;
  return { reads: done.length, failed, stats, faults, violations, ownViolations };
}

type Read = readonly [mode: string, key: string, value: string | null, began: number, ended: number];

function violationOf(
  [mode, key, value, began, ended]: Read,
  history: Map<string, State[]>,
  overlaps: readonly (readonly [from: number, to: number])[],
): Violation | undefined {
  // A read from a demoted primary may be as old as the promotion, and be held for `maxStale`.
  const stillRight = overlaps
    .filter(([from, to]) => ended >= from && began <= to + MAX_STALE)
    .map(([from]) => from);
  const newest = Math.min(began, ...stillRight);
  const limit = mode === "verify" ? newest : newest - MAX_STALE;
  const states = history.get(key)!.filter((state) => state.value === value && state.sentAt <= ended);
  if (states.some(({ overwrittenAt }) => overwrittenAt > limit)) return undefined;
  return { mode, key, value, late: limit - Math.max(...states.map(({ overwrittenAt }) => overwrittenAt)) };
}

/** Clients of Redis that use no gateway. Each key has one writer at a time, so that the order of its writes is known. */
class Writers {
  #running = true;
  #loops: Promise<void>[] = [];
  /** Resolves when writers may go on, if they may not now. */
  #gate: Promise<void> | null = null;
  #waiting = 0;
  #version = 0;

  constructor(
    readonly redis: ModelRedis,
    readonly history: Map<string, State[]>,
    readonly random: () => number,
  ) {}

  start(): void {
    this.#loops = KEYS.map((key) => this.#write(key));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }

  /** Removes all keys while no other write is in flight. */
  async flush(): Promise<void> {
    let open!: () => void;
    this.#gate = new Promise((done) => {
      open = done;
    });
    while (this.#waiting < KEYS.length) await pause(5);
    const { sentAt, ackedAt } = await this.#run("FLUSHALL");
    for (const key of KEYS) this.#record(key, null, sentAt, ackedAt);
    this.#gate = null;
    open();
  }

  /** Runs a command. Returns when it was sent, and when it was acknowledged: never, if that is not known. */
  async #run(...args: (string | number)[]): Promise<{ sentAt: number; ackedAt: number }> {
    const sentAt = now();
    try {
      await this.redis.command(...args);
      return { sentAt, ackedAt: now() };
    } catch {
      return { sentAt, ackedAt: Infinity };
    }
  }

  #record(key: string, value: string | null, sentAt: number, ackedAt: number): void {
    const states = this.history.get(key)!;
    for (const state of states) state.overwrittenAt = Math.min(state.overwrittenAt, ackedAt);
    states.push({ value, sentAt, overwrittenAt: Infinity });
  }

  async #write(key: string): Promise<void> {
    while (this.#running) {
      if (this.#gate) {
        this.#waiting++;
        await this.#gate;
        this.#waiting--;
      }
      const value = `v${++this.#version}`;
      const kind = this.random();
      const ttl = 10 + Math.floor(this.random() * 400);
      const script = "redis.call('SET', KEYS[1], ARGV[1])";
      const args =
        kind < 0.1
          ? ["DEL", key]
          : kind < 0.25
            ? ["SET", key, value, "PX", ttl]
            : kind < 0.35
              ? ["EVAL", script, 1, key, value]
              : ["SET", key, value];
      const { sentAt, ackedAt } = await this.#run(...args);
      this.#record(key, kind < 0.1 ? null : value, sentAt, ackedAt);
      if (kind >= 0.1 && kind < 0.25) {
        const states = this.history.get(key)!;
        states.at(-1)!.overwrittenAt = ackedAt + ttl + TTL_PRECISION;
        states.push({ value: null, sentAt: sentAt + ttl - TTL_PRECISION, overwrittenAt: Infinity });
      }
      // Bursts, then a time in which a stale value would stay.
      await pause(this.random() < 0.6 ? this.random() * 15 : 200 + this.random() * 600);
    }
  }
}

/** A single server. */
async function startOne(): Promise<ModelRedis> {
  const { url, command, stop } = await startRedis();
  return { url, command, everywhere: (run) => run(command), stop };
}

function startGateway({ url }: ModelRedis, port: number): Promise<Gateway> {
  return createGateway({
    port,
    redis: url,
    token: TOKEN,
    logLevel: "silent",
    nearPrefix: ["model:"],
    shutdownTimeout: 0,
    console: false,
  });
}

interface Reader {
  readonly child: ChildProcess;
  readonly reads: Read[];
  stats: Record<string, number>;
  ownViolations: [written: string, read: string][];
  stop(): Promise<void>;
}

function startReader(
  url: string,
  { seed, nearModule = "warmline/near" }: NearModelOptions,
  at: number,
): Reader {
  const config = {
    ...{ url, token: TOKEN, keys: KEYS, ownKey: `model:own${at}`, maxStale: MAX_STALE, nearModule },
    seed: seed * 31 + at,
    autoPipelining: at % 2 === 0,
  };
  const child = fork(resolve(import.meta.dirname, "reader.mjs"), [JSON.stringify(config)], { execArgv: [] });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const reader: Reader = {
    child,
    reads: [],
    stats: {},
    ownViolations: [],
    async stop() {
      child.kill("SIGCONT");
      if (child.connected) child.send("stop");
      await ended;
    },
  };
  child.on("message", ({ reads, stats, ownViolations }: Pick<Reader, "reads"> & Partial<Reader>) => {
    reader.reads.push(...reads);
    if (stats) reader.stats = stats;
    if (ownViolations) reader.ownViolations = ownViolations;
  });
  return reader;
}

/** Ends the connections on which gateways get reports of changes. */
async function killTracking(command: RedisConnection["command"]): Promise<void> {
  for (const line of String(await command("CLIENT", "LIST")).split("\n")) {
    const id = /^id=(\d+) .* flags=\S*t/.exec(line)?.[1];
    if (id) await command("CLIENT", "KILL", "ID", id);
  }
}
