import type { Endpoint } from "../../bench-client.js";
import { coldStarts, preparedStarts } from "../cold/measure.js";
import { bundleSize } from "../cold/sizes.js";
import type { Node } from "../nodes.js";
import type { FixedServer, Placement } from "../processes.js";
import { pairedRatio, spreadOf } from "../ratios.js";
import type { Target } from "./target.js";

const UPSTASH = "@upstash/redis";
const CLIENTS = ["warmline", "upstash", "raw"] as const;

interface Options {
  readonly node: Node;
  readonly placement: Placement;
  readonly server: FixedServer;
  /** The endpoint of the same server over a round trip of 10 ms. */
  readonly distant: Endpoint;
  readonly rounds: number;
  readonly random: () => number;
}

/** The rows about fresh processes. */
export async function coldTargets({
  node,
  placement,
  server,
  distant,
  rounds,
  random,
}: Options): Promise<Target[]> {
  const options = { node, placement, trust: server.trust, rounds, random, clients: CLIENTS };
  const endpoint = server.endpoint({ tls: true });
  const atOnce = await coldStarts({ ...options, endpoint });
  const prepared = await preparedStarts({ ...options, endpoint });
  const far = await preparedStarts({ ...options, endpoint: distant, clients: ["warmline"] });

  const ratio = <T>(
    measure: string,
    limit: number,
    [own, upstash, raw]: readonly (readonly T[])[],
    of: (start: T) => number,
  ): Target => {
    const middle = (starts: readonly T[]) => spreadOf(starts.map(of)).median.toFixed(1);
    return {
      node: node.version,
      measure,
      against: UPSTASH,
      bound: "at most",
      limit,
      unit: "x",
      measured: pairedRatio(own!.map(of), upstash!.map(of)),
      medians: `${middle(own!)} ms, @upstash/redis ${middle(upstash!)}, raw ${middle(raw!)}`,
    };
  };
  const starts = CLIENTS.map((client) => atOnce[client]);
  const ready = CLIENTS.map((client) => prepared[client]);
  const total = "cold: import and first command, TLS";
  const cpu = "cold: CPU time of import and first command";
  const farFirst = far.warmline.map(({ firstMs }) => firstMs);
  const farWarm = far.warmline.map(({ warmMs }) => warmMs);
  return [
    ratio(total, 0.6, starts, ({ totalMs }) => totalMs),
    ratio(`${total}, later goal`, 0.45, starts, ({ totalMs }) => totalMs),
    ratio(cpu, 0.6, starts, ({ cpuMs }) => cpuMs),
    ratio(`${cpu}, later goal`, 0.45, starts, ({ cpuMs }) => cpuMs),
    ratio("cold: first command after await redis.ready()", 0.1, ready, ({ firstMs }) => firstMs),
    {
      node: node.version,
      measure: "cold: first command after await redis.ready(), 10 ms away",
      against: "warm p50",
      bound: "at most",
      limit: 1.3,
      unit: "x",
      measured: pairedRatio(farFirst, farWarm),
      medians: `${spreadOf(farFirst).median.toFixed(1)} ms, warm ${spreadOf(farWarm).median.toFixed(1)}`,
    },
    ratio("import alone", 1, starts, ({ importMs }) => importMs),
  ];
}

/** The rows about sizes, the same under any Node. */
export function sizeTargets(): Target[] {
  const size = (measure: string, limit: number, bytes: number, upstash: number): Target => ({
    node: "",
    measure,
    against: "",
    bound: "at most",
    limit,
    unit: "bytes",
    measured: spreadOf([bytes]),
    medians: `@upstash/redis ${upstash.toLocaleString("en")}`,
  });
  const upstash = bundleSize("upstash");
  return [
    size(
      "fetch entry, minified and gzipped",
      12 * 1024,
      bundleSize("warmline-fetch").gzipped,
      upstash.gzipped,
    ),
    size("Node entry, minified", 190_000, bundleSize("warmline").minified, upstash.minified),
  ];
}
