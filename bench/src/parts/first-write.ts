import { type BenchClient, commandsFunction, handlerPath, KEPT } from "../client/bench-client.js";
import { atMost, exactly } from "../results/checks.js";
import { latencyColumns, preciseFactor, tabulate } from "../results/present.js";
import { PAUSING_LANES, runPaused } from "../rig/run-paused.js";
import { defineScenario, type Settings } from "../scenario.js";
import { ratio } from "../statistics/series.js";

/** A way of warmline to write after a pause, or a client's command. */
interface Way {
  readonly way: string;
  /** Whether the endpoint offers numbers, like a single gateway. Others, such as Upstash, do not. */
  readonly numbers?: boolean;
  readonly writes?: string;
  readonly ready?: boolean;
  /** Other work before the write, in round trips. */
  readonly work?: number;
  /** Maximum ratio to the duration of a warm write. */
  readonly limit?: number;
  readonly client?: BenchClient;
  readonly command?: "get" | "set";
}

const WAYS: readonly Way[] = [
  { way: "numbered, one gateway", numbers: true, writes: "at-most-once", ready: false, work: 0 },
  { way: "PING, then the write", writes: "at-most-once", ready: false, work: 0, limit: 2.2 },
  { way: "ready() during other work", writes: "at-most-once", ready: true, work: 1.5, limit: 1.1 },
  { way: "exactly-once", writes: "exactly-once", ready: false, work: 0, limit: 1.1 },
];

/** Maximum ratio of a numbered write to the bare agent's write after the same pause. */
const AGENT_LIMIT = 1.05;
/** Times in s between two invocations, in real time. */
const FROZEN_S = [0, 2, 20];
const QUICK_FROZEN_S = [0, 2];

/** Returns the ways and their pauses: warmline's with and without TLS, the clients' reads and writes with TLS. */
export function waysOf(clients: readonly BenchClient[], { quick }: Settings, tls: boolean) {
  const commands = clients.flatMap((client) =>
    (["get", "set"] as const).map(
      (command): Way => ({ way: `${client.label}, ${command.toUpperCase()}`, client, command }),
    ),
  );
  return [...WAYS, ...(tls ? commands : [])].flatMap((way) =>
    (quick ? QUICK_FROZEN_S : FROZEN_S).map((frozenS) => ({ ...way, frozenS })),
  );
}

/** Returns the invocations of an instance: fewer with long pauses, and of clients, since these are many. */
function callsOf(
  { frozenS, client }: { readonly frozenS: number; readonly client?: BenchClient },
  { invocations }: Settings,
): number {
  return Math.max(1, Math.round((invocations * 2) / Math.max(2, frozenS) / (client ? 3 : 1)));
}

/** Returns whether a row is what another one is compared with: warmline's warm write, or the client's warm command. */
const isWarm = (row: Way & { frozenS: number }, other: Way) =>
  row.frozenS === 0 && row.way === (other.client ? other.way : WAYS[0]!.way);

const pauseOf = ({ frozenS, tls }: { frozenS: number; tls: boolean }) =>
  `${frozenS === 0 ? "back to back" : `frozen for ${frozenS} s`}${tls ? ", TLS" : ""}`;
const nameOf = (row: Way & { frozenS: number; tls: boolean }) => `${row.way}, ${pauseOf(row)}`;

export default defineScenario({
  name: "first-write",
  title: "The first write after a freeze",
  question: "How much longer does the first write after a freeze take than a warm one?",
  clients: "candidates",
  fixed: ["tls"],
  lanes: Math.min(120, PAUSING_LANES),
  defaults: { rounds: [1, 1], invocations: [20, 3] },
  cases: async ({ rig, clients, settings, record }) => {
    const rttMs = settings.rtts?.[0] ?? 20;
    const networkOf = async (tls: boolean) => {
      const own = await rig({ rttMs, tls });
      await own.numbered();
      return { tls, rttMs, rig: own, plain: await own.plain() };
    };
    const networks = [await networkOf(false), await networkOf(true)];
    await networks[1]!.rig.command("SET", "first-write", "hello");
    const cases = networks.flatMap((network) =>
      waysOf(clients, settings, network.tls).map((each) => ({ ...each, ...network })),
    );
    record({ rttMs, tls: "both", frozenS: [...new Set(cases.map(({ frozenS }) => frozenS))] });
    return cases;
  },
  durationS: (each, settings) => each.frozenS * callsOf(each, settings),
  label: nameOf,
  run: (each, { settings }) => {
    const { frozenS, client, command, rig, writes = "", ready, work = 0, rttMs } = each;
    // The gateway as it is, or the one whose responses offer no numbers.
    const { endpoint, trust } = each.numbers ? rig : each.plain;
    const env = { WARMLINE_URL: endpoint.url, WARMLINE_TOKEN: endpoint.token, BENCH_WRITES: writes };
    const own = { handler: handlerPath("first-write"), env: { ...trust, ...env } };
    const spec = client ? commandsFunction(client, KEPT, rig) : own;
    const event = client ? { command, keys: ["first-write"] } : { ready, workMs: work * rttMs };
    const pauses = { calls: callsOf(each, settings), pauseMs: frozenS * 1_000, frozen: frozenS > 0 };
    return runPaused(spec, event, { ...pauses, latencyOf: (result) => (result as { ms: number }).ms });
  },
  report: (rows, { settings }) => {
    const warm = (each: (typeof rows)[number]) =>
      rows.find((row) => row.tls === each.tls && isWarm(row, each))!.latencies;
    const compared = rows.map((row) => ({ ...row, slower: ratio(row.latencies, warm(row)) }));
    const frozen = compared.filter(({ frozenS }) => frozenS > 0);
    return {
      checks: frozen.flatMap(({ client, limit, failed, slower, ...row }) => {
        if (client) return [];
        const name = nameOf(row);
        const none = exactly(`${name}: no call fails`, failed.total === 0, `${failed.total} failed`);
        if (limit !== undefined)
          return [none, atMost(`${name}: at most ${limit} times a warm write`, slower, limit)];
        const agent = frozen.find(
          (other) =>
            other.client?.name === "agent" && other.command === "set" && pauseOf(other) === pauseOf(row),
        );
        if (!agent) return [none];
        const times = ratio(row.latencies, agent.latencies);
        const text = `${name}: at most ${AGENT_LIMIT} times the bare agent's write after the same pause`;
        return [none, atMost(text, times, AGENT_LIMIT, { text: preciseFactor })];
      }),
      ...tabulate(compared, { group: pauseOf, charts: ["p50 ms"] }, [
        ["pause", pauseOf],
        ["way", ({ way }) => way],
        ["calls", ({ latencies }) => latencies.count],
        ["failed", ({ failed }) => failed.total],
        ["longest pause s", ({ longestPauseS }) => longestPauseS.max, 1],
        ...latencyColumns("latencies"),
        ["x warm", ({ slower }) => slower],
      ]),
      notes: [
        `Each case of warmline's ways runs ${settings.invocations} invocations of one SET in each of ${settings.rounds} instances, those of clients a third; fewer after long freezes. The function thaws with the invocation waiting, as on Lambda. The command alone is timed.`,
        "Clients run a GET or a SET with their settings as shipped, over TLS: to the gateway, or over TCP to Redis. A SET that no response confirms may have been lost or applied; the scenario faults measures that.",
        "One gateway on its Redis recognises numbered writes, so that they take no PING. The other ways have an endpoint that offers no numbers, such as Upstash.",
        "ready() during other work: the handler calls ready(), and then does something else for one and a half round trips before it writes.",
        "x warm compares with a numbered write, back to back, over the same network; for a client with its own command back to back.",
      ],
    };
  },
});
