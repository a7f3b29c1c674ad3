import { commandsFunction, KEPT } from "../client/bench-client.js";
import firstWrite from "../parts/first-write.js";
import { atMost, exactly } from "../results/checks.js";
import { latencyColumns, ms, tabulate } from "../results/present.js";
import { PAUSING_LANES, runPaused } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";
import { ratio } from "../statistics/series.js";

/**
 * The times between two invocations in s, in real time, since the clients' own timers cannot be scaled. Each has the share of the
 * settings' invocations that an instance runs with it: the longer the pause, the fewer.
 */
const SHARES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 0.5],
  [30, 0.05],
]);
const QUICK_IDLE_S = [0, 2];
/** Returns how many of the settings' invocations an instance runs with a pause. */
const callsOf = (idleS: number, invocations: number) =>
  Math.max(1, Math.round(invocations * SHARES.get(idleS)!));
/** The longest time relative to the bare agent, which checks no connection. */
const LIMIT = 1.2;

const idleOf = ({ idleS, frozen }: { idleS: number; frozen: boolean }) =>
  idleS === 0 ? "back to back" : `${idleS} s ${frozen ? "frozen" : "idle"}`;

export default defineScenario({
  name: "idle",
  title: "The first command after a pause",
  question: "How long do a read and a write take if the function was idle or frozen before?",
  clients: "candidates",
  lanes: PAUSING_LANES,
  parts: [firstWrite],
  defaults: { rounds: [1, 1], invocations: [20, 3] },
  cases: async ({ rig, clients, settings, record }) => {
    const own = await rig({ greeting: true });
    await own.numbered();
    const times = settings.quick ? QUICK_IDLE_S : [...SHARES.keys()];
    const pauses = times.flatMap((idleS) =>
      idleS === 0 ? [{ idleS, frozen: false }] : [false, true].map((frozen) => ({ idleS, frozen })),
    );
    record({ idleS: times, lanes: PAUSING_LANES });
    return pauses.flatMap((each) =>
      clients.flatMap((client) =>
        (["get", "set"] as const).map((command) => ({ client, ...each, command, rig: own })),
      ),
    );
  },
  durationS: ({ idleS }, { invocations }) => idleS * callsOf(idleS, invocations),
  label: (each) => `${each.client.label}, ${each.command} after ${idleOf(each)}`,
  run: ({ client, command, idleS, frozen, rig }, { settings }) => {
    const spec = commandsFunction(client, KEPT, rig);
    const calls = callsOf(idleS, settings.invocations);
    return runPaused(spec, { command }, { calls, pauseMs: idleS * 1_000, frozen });
  },
  report: (rows, { settings }) => {
    const backToBack = (row: (typeof rows)[number]) =>
      rows.find((each) => each.client === row.client && each.command === row.command && each.idleS === 0)!;
    const compared = rows.map((row) => ({ ...row, slower: ratio(row.latencies, backToBack(row).latencies) }));
    const nameOf = (row: (typeof rows)[number]) => `${row.command.toUpperCase()}, ${idleOf(row)}`;
    const own = compared.filter(({ client, idleS }) => client.name === "warmline" && idleS > 0);
    return {
      checks: own.flatMap((row) => {
        const { failed, latencies } = row;
        const none = exactly(
          `warmline, ${nameOf(row)}: no call fails`,
          failed.total === 0,
          `${failed.total} of ${failed.total + latencies.count}`,
        );
        const agent = rows.find((other) => other.client.name === "agent" && nameOf(other) === nameOf(row));
        if (!agent) return [none];
        const near = atMost(
          `warmline, ${nameOf(row)}: at most ${LIMIT} times the bare agent's after the same pause`,
          ratio(latencies, agent.latencies),
          LIMIT,
          { detail: ms(latencies.estimate().value) },
        );
        return [none, near];
      }),
      ...tabulate(compared, { group: nameOf, charts: ["p50 ms"] }, [
        ["command", nameOf],
        ["client", ({ client }) => client.label],
        ["calls", ({ latencies }) => latencies.count],
        ["failed", ({ failed }) => failed.total],
        ["longest pause s", ({ longestPauseS }) => longestPauseS.max, 1],
        ...latencyColumns("latencies"),
        ["x back to back", ({ slower }) => slower],
      ]),
      notes: [
        `Each case runs in ${settings.rounds} instances, after three invocations that do not count. The longer the pause, the fewer the invocations. A percentile is empty where the calls are too few for it: the 99th takes 100, the 99.9th 1,000. More need --rounds or --invocations, and more time.`,
        `Pauses are in real time. Up to ${PAUSING_LANES} instances pause at once, but only one at a time starts, runs an invocation or stops, so that a pause may be longer than it should; the table has the longest. Back to back, an instance runs all of its invocations before another one may.`,
        "Frozen: the process is stopped and thaws with the invocation waiting, as on Lambda. Idle: it runs on without an invocation.",
        "The gateway closes connections that are idle for 310 s, its default, and announces that limit. A call without a response fails after 5 s and ends its instance.",
      ],
    };
  },
});
