import type { Node } from "../nodes.js";
import type { FixedServer, Placement } from "../processes.js";
import { pairedRatio, spreadOf } from "../ratios.js";
import { measureWorkloads, type Workload } from "../warm/measure.js";
import type { Job, JobResult } from "../worker/jobs.js";
import type { Target } from "./target.js";

const UPSTASH = "@upstash/redis";

interface Options {
  readonly node: Node;
  /** Where client and server run; for the first all rows are measured, for others what placement changes most. */
  readonly servers: readonly { readonly placement: Placement; readonly server: FixedServer }[];
  readonly rounds: number;
  /** How long each turn of a client is, in ms. */
  readonly ms: number;
  readonly heapCommands: number;
  readonly random: () => number;
}

type Row = readonly [
  measure: string,
  bound: Target["bound"],
  limit: number,
  job: Job,
  of: (took: JobResult) => number,
];

const isSequential = ({ job }: Workload) => job.kind === "sequential" && job.size === undefined;

const each = ({ ms, count }: JobResult) => (ms * 1_000) / count;

/** The rows about warm clients. */
export async function warmTargets(options: Options): Promise<Target[]> {
  const { node, ms, servers, heapCommands } = options;
  const targets: Target[] = [];

  // One at a time a command takes longest until all of its code is compiled.
  const compiled = Math.max(3 * ms, ms < 50 ? 0 : 1_200);
  const lanes = async (
    at: number,
    wanted: readonly Workload[],
    rounds = options.rounds,
  ): Promise<JobResult[][]> => {
    const { placement, server } = servers[at]!;
    const where = { node, placement, endpoint: server.endpoint(), trust: server.trust };
    return measureWorkloads(wanted, {
      ...where,
      rounds,
      warmUpMs: wanted.every(isSequential) ? compiled : 3 * ms,
      random: options.random,
    });
  };
  const add = (
    row: Pick<Target, "measure" | "against" | "bound" | "limit">,
    own: readonly number[],
    other: readonly number[],
    unit = "us",
  ) => {
    // "At least so many times as fast": the other way round.
    const measured = row.bound === "at most" ? pairedRatio(own, other) : pairedRatio(other, own);
    const text = (values: readonly number[]) => {
      const { median } = spreadOf(values);
      return median.toFixed(median < 100 ? 1 : 0);
    };
    targets.push({
      ...row,
      node: node.version,
      unit: "x",
      measured,
      medians: `${text(own)} ${unit} against ${text(other)}`,
    });
  };

  for (const [at, { placement }] of servers.entries()) {
    const job: Job = { kind: "sequential", call: "get", ms };
    const [own, upstash, raw] = await lanes(at, [
      { client: "warmline", job },
      { client: "upstash", job },
      { client: "raw", job },
    ]);
    const p50 = (rounds: readonly JobResult[] | undefined) => rounds!.map(({ p50 }) => p50);
    const cpu = (rounds: readonly JobResult[] | undefined) =>
      rounds!.map(({ cpuUs, count }) => cpuUs / count);
    const bound = "at most";
    add(
      { measure: `one at a time, p50, ${placement}`, against: "raw socket", bound, limit: 1.15 },
      p50(own),
      p50(raw),
    );
    add(
      { measure: `CPU per command, ${placement}`, against: UPSTASH, bound, limit: 0.2 },
      cpu(own),
      cpu(upstash),
    );
  }

  const rows: Row[] = [
    [
      "50 in flight, no batching",
      "at least",
      6,
      { kind: "concurrent", call: "alone", inFlight: 50, ms },
      each,
    ],
    ["Promise.all of 10, batched", "at least", 3, { kind: "together", commands: 10, ms }, each],
    ["Promise.all of 100, batched", "at least", 3, { kind: "together", commands: 100, ms }, each],
    ["Promise.all of 1,000, batched", "at least", 3, { kind: "together", commands: 1_000, ms }, each],
    ["pipeline of 1,000 mixed", "at least", 3, { kind: "sequential", call: "mixed", size: 1_000, ms }, each],
    [
      "GET of 1 MB of JSON",
      "at most",
      0.4,
      { kind: "sequential", call: "json", size: 1e6, ms },
      ({ p50 }) => p50,
    ],
    [
      "GET of 1 MB of bytes",
      "at most",
      0.2,
      { kind: "sequential", call: "bytes", size: 1e6, ms },
      ({ p50 }) => p50,
    ],
  ];
  for (const [measure, bound, limit, job, of] of rows) {
    const [own, upstash] = await lanes(0, [
      { client: "warmline", job },
      { client: "upstash", job },
    ]);
    add({ measure, against: UPSTASH, bound, limit }, own!.map(of), upstash!.map(of));
  }

  const [recreated, reused] = await lanes(0, [
    { client: "warmline", job: { kind: "sequential", call: "recreated", ms } },
    { client: "warmline", job: { kind: "sequential", call: "get", ms } },
  ]);
  const p50 = ({ p50 }: JobResult) => p50;
  const against = "reused";
  add(
    { measure: "client recreated", against, bound: "at most", limit: 1.05 },
    recreated!.map(p50),
    reused!.map(p50),
  );

  const heap: Job = { kind: "heap", commands: heapCommands };
  const [own, upstash] = await lanes(
    0,
    [
      { client: "warmline", job: heap },
      { client: "upstash", job: heap },
    ],
    1,
  );
  const mb = (bytes: number) => bytes / 1e6;
  const commands = heapCommands.toLocaleString("en");
  const after = own!.map(({ heapAfter }) => mb(heapAfter));
  add(
    // What two sweeps of the same heap differ by.
    { measure: `heap after ${commands} commands`, against: "before", bound: "at most", limit: 1.02 },
    after,
    own!.map(({ heapBefore }) => mb(heapBefore)),
    "MB",
  );
  const upstashHeap = upstash!.map(({ heapAfter }) => mb(heapAfter));
  add(
    { measure: `heap after ${commands} commands`, against: UPSTASH, bound: "at most", limit: 0.7 },
    after,
    upstashHeap,
    "MB",
  );
  return targets;
}
