import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Endpoint } from "../../bench-client.js";
import { shuffled } from "../../random.js";
import { built } from "../built.js";
import type { Node } from "../nodes.js";
import { clientCore, commandFor, type FixedServer, type Placement } from "../processes.js";

/** The clients that fresh processes are started with; `raw` is the floor. */
export const COLD_CLIENTS = ["warmline", "warmline-undici", "warmline-fetch", "upstash", "raw"] as const;
export type ColdClientName = (typeof COLD_CLIENTS)[number];

/** Times of one fresh process, in ms. */
export interface Start {
  readonly importMs: number;
  /** CPU time of the process, all of its threads, from the import to the end. */
  readonly cpuMs: number;
  /** Import and first command. */
  readonly totalMs: number;
}

/** Times of one fresh process with an init phase, in ms. */
export interface PreparedStart {
  readonly importMs: number;
  readonly cpuMs: number;
  /** Import and what can be made ready: a function's init phase. */
  readonly initMs: number;
  /** The first command of the handler. */
  readonly firstMs: number;
  /** The median of those that follow. */
  readonly warmMs: number;
}

/** Numbers by client, in the order of the rounds. */
export type ByClient<T> = Readonly<Record<ColdClientName, readonly T[]>>;

interface Options {
  readonly node: Node;
  readonly placement: Placement;
  readonly endpoint: Endpoint;
  readonly trust: FixedServer["trust"];
  readonly rounds: number;
  readonly clients?: readonly ColdClientName[];
  readonly random: () => number;
  readonly onRound?: () => void;
}

/** Import and first command at once, in fresh processes: every client once per round, in mixed order. */
export const coldStarts = (options: Options) => start<Start>(options, "at once");

/** Import and preparation in an init phase, then the first command, in fresh processes. */
export const preparedStarts = (options: Options) => start<PreparedStart>(options, "init");

async function start<T>(options: Options, phase: "at once" | "init"): Promise<ByClient<T>> {
  const clients = options.clients ?? COLD_CLIENTS;
  const taken = Object.fromEntries(COLD_CLIENTS.map((client) => [client, [] as T[]])) as Record<
    ColdClientName,
    T[]
  >;
  // The first round only brings files into the system's cache; a single one is a look, and does without.
  for (let round = options.rounds > 1 ? -1 : 0; round < options.rounds; round++) {
    for (const client of shuffled(clients, options.random)) {
      const one = await startOne<T>(options, client, phase);
      if (round >= 0) taken[client].push(one);
    }
    options.onRound?.();
  }
  return taken;
}

async function startOne<T>(
  { node, placement, endpoint, trust }: Options,
  client: ColdClientName,
  phase: string,
): Promise<T> {
  const bundle = built(`perf/cold/bundles/${client}.js`).href;
  const args = [bundle, endpoint.url, endpoint.token, phase];
  const [program, ...rest] = commandFor(node, clientCore(placement), "perf/cold/start.js", ...args);
  const { stdout } = await promisify(execFile)(program!, rest, {
    env: { ...process.env, ...trust },
    timeout: 20_000,
  });
  return JSON.parse(stdout) as T;
}
