import { type ChildProcess, fork } from "node:child_process";
import { resolve } from "node:path";
import { Redis } from "warmline";
import { cached } from "warmline/cache";
import { createGateway } from "../../../gateway/src/index.js";
import { startRedis } from "../../../testbed/src/index.js";
import { startFront } from "../model/front.js";
import { mulberry32 } from "../model/random.mjs";
import { createFunctions, tagOf } from "./functions.mjs";

/** Options of {@link runCacheModel}. */
export interface CacheModelOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Minimum number of calls: on a busy machine the run continues until then. Default: 0. */
  readonly minReads?: number;
  /** Minimum number of times that each fault occurs: the run continues until then. Default: 0. */
  readonly minFaults?: number;
  /** Whether the run ends at the first violation. */
  readonly untilViolation?: boolean;
  /** Import specifier of the module that exports `cached`. Default: `warmline/cache`. */
  readonly module?: string;
}

/** A stale result: a deletion that ended before the call began should have removed it. */
export interface Violation {
  readonly name: string;
  readonly key: string;
  readonly version: number;
  /** The oldest version that the call may return after the deletion. */
  readonly required: number;
  /** Time in ms from the end of the deletion to the start of the call. */
  readonly late: number;
}

/** The outcome of a run. */
export interface CacheModelResult {
  readonly reads: number;
  readonly failed: number;
  /** Number of times that a cached function was executed. */
  readonly runs: number;
  readonly deletions: number;
  readonly faults: Record<string, number>;
  readonly violations: readonly Violation[];
}

type Read = readonly [name: string, key: string, version: number, began: number, ended: number];

/** A deletion that has ended: calls of the function that start later must return this version or a later one. */
interface Deletion {
  readonly version: number;
  readonly endedAt: number;
}

const KEYS = ["0", "1", "2", "3"];
const TOKEN = "model";

const now = () => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/**
 * Calls cached functions in several processes, while this one changes the versions that they read and deletes results by key or
 * tag. Meanwhile processes are frozen, responses are lost or delayed, and the gateway can't be reached. Redis is a cluster, so
 * that the keys of a function whose name has no hash tag are in different slots.
 */
export async function runCacheModel(options: CacheModelOptions): Promise<CacheModelResult> {
  const { seed, minReads = 0, minFaults = 0 } = options;
  const random = mulberry32(seed);
  const server = await startRedis({ listen: "tcp", flags: ["--cluster-enabled", "yes"] });
  await server.command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
  while (!String(await server.command("CLUSTER", "INFO")).includes("cluster_state:ok")) await pause(20);
  const gateway = await createGateway({
    port: 0,
    redis: server.url,
    token: TOKEN,
    logLevel: "silent",
    shutdownTimeout: 0,
    console: false,
  });
  const faults: Record<string, number> = { frozen: 0, lost: 0, refused: 0 };
  const onLost = () => {
    faults.lost!++;
  };
  const front = await startFront([Number(new URL(gateway.url).port)], random, onLost, 0.03);
  const db = new Redis({ url: gateway.url, token: TOKEN });
  const versions = new Map(KEYS.map((key) => [key, 1]));
  for (const key of KEYS) await db.set(`db:${key}`, 1);

  const redis = new Redis({ url: front.url, token: TOKEN, timeout: 400 });
  const functions = Object.entries(createFunctions(cached, redis, db, { random }));
  /** The deletions of each function's keys. */
  const deletions = new Map<string, Deletion[]>();
  const record = (name: string, key: string, version: number) => {
    const id = `${name} ${key}`;
    deletions.set(id, [...(deletions.get(id) ?? []), { version, endedAt: now() }]);
  };
  let running = true;
  let deleted = 0;
  const change = async (key: string) => {
    while (running) {
      const version = versions.get(key)! + 1;
      await db.set(`db:${key}`, version);
      versions.set(key, version);
      const byTag = random() < 0.4;
      await Promise.all(
        functions.map(async ([name, call]) => {
          const covered = byTag ? KEYS.filter((other) => tagOf(other) === tagOf(key)) : [key];
          const required = covered.map((each) => [each, versions.get(each)!] as const);
          try {
            await (byTag ? call.deleteTag(tagOf(key)) : call.delete(key));
            deleted++;
            for (const [each, oldest] of required) record(name, each, oldest);
          } catch {
            // The deletion may or may not have been applied.
          }
        }),
      );
      await pause(random() < 0.7 ? random() * 60 : 200 + random() * 300);
    }
  };
  const config = {
    ...{ url: front.url, dbUrl: gateway.url, token: TOKEN, keys: KEYS },
    module: options.module ?? "warmline/cache",
  };
  const callers = Array.from({ length: 3 }, (_, at) => startCaller({ ...config, seed: seed * 32 + at }));
  const violations = () =>
    callers.flatMap(({ reads }) => reads.flatMap((read) => violationOf(read, deletions) ?? []));
  const end = now() + options.seconds * 1_000;
  const countReads = () => callers.reduce((count, { reads }) => count + reads.length, 0);
  const isOver = () => {
    if (options.untilViolation && violations().length > 0) return true;
    const enough =
      countReads() >= minReads && Object.values(faults).every((occurred) => occurred >= minFaults);
    return now() > end && enough;
  };
  try {
    const changes = KEYS.map(change);
    while (!isOver()) {
      await pause(50 + random() * 200);
      if (random() < 0.85) {
        faults.frozen!++;
        const { child } = callers[Math.floor(random() * callers.length)]!;
        child.kill("SIGSTOP");
        await pause(random() < 0.5 ? 200 + random() * 300 : random() * 100);
        child.kill("SIGCONT");
      } else {
        faults.refused!++;
        await front.refuse(random() * 150);
      }
    }
    running = false;
    await Promise.all([...changes, ...callers.map(({ stop }) => stop())]);
  } finally {
    running = false;
    for (const { child } of callers) child.kill("SIGKILL");
    await front.stop();
    await gateway.close();
    await server.stop();
  }
  const sum = (of: (caller: Caller) => number) => callers.reduce((total, caller) => total + of(caller), 0);
  return {
    reads: countReads(),
    failed: sum(({ failed }) => failed),
    runs: sum(({ runs }) => runs),
    deletions: deleted,
    faults,
    violations: violations(),
  };
}

function violationOf(
  [name, key, version, began]: Read,
  deletions: Map<string, Deletion[]>,
): Violation | undefined {
  const missed = (deletions.get(`${name} ${key}`) ?? []).filter(
    (deletion) => deletion.endedAt < began && deletion.version > version,
  );
  const last = missed.at(-1);
  return last && { name, key, version, required: last.version, late: began - last.endedAt };
}

interface Caller {
  readonly child: ChildProcess;
  readonly reads: Read[];
  runs: number;
  failed: number;
  stop(): Promise<void>;
}

function startCaller(config: object): Caller {
  const child = fork(resolve(import.meta.dirname, "caller.mjs"), [JSON.stringify(config)], { execArgv: [] });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const caller: Caller = {
    child,
    reads: [],
    runs: 0,
    failed: 0,
    async stop() {
      child.kill("SIGCONT");
      if (child.connected) child.send("stop");
      await ended;
    },
  };
  child.on("message", ({ reads, runs, failed }: Caller) => {
    caller.reads.push(...reads);
    Object.assign(caller, { runs, failed });
  });
  return caller;
}
