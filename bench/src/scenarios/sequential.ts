import { commandsFunction } from "../client/bench-client.js";
import type { CommandsEvent } from "../handlers/commands.js";
import cacheMiss from "../parts/cache-miss.js";
import endToEnd from "../parts/end-to-end.js";
import { atLeast, decidedBy } from "../results/checks.js";
import { byClient, factor, latencyColumns, ms, tabulate, withInterval } from "../results/present.js";
import { GREETING } from "../rig/run-instance.js";
import { runPaused } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";
import { combine, difference, mean, ratio } from "../statistics/series.js";

const KEYS = Array.from({ length: 10 }, (_, index) => `greeting:${index}`);
const PAUSE_S = 2;
/** Writes with the instance frozen between two invocations, as between the article's, which a person sends, and back to back. */
const writes = (frozen: boolean) =>
  (["one", "ten"] as const).flatMap((name) =>
    [true, false].map((keepAlive) => ({ name, commands: name === "one" ? 1 : 10, keepAlive, frozen })),
  );
const MODES = [
  ...writes(false),
  { name: "together" as const, commands: 10, keepAlive: true, frozen: false },
  { name: "pipeline" as const, commands: 10, keepAlive: true, frozen: false },
  ...writes(true),
];
type Mode = (typeof MODES)[number];
/** Pauses take long, so fewer invocations have them. */
const callsOf = ({ frozen }: Mode, invocations: number) =>
  frozen ? Math.ceil(invocations / 4) : invocations;
const TITLES = {
  one: "one SET",
  ten: "ten SETs, one after another",
  together: "ten SETs, concurrent",
  pipeline: "ten GETs, as one pipeline",
};
const nameOf = ({ name, keepAlive, frozen }: Mode) =>
  `${TITLES[name]}${keepAlive ? "" : ", keep-alive off"}${frozen ? `, after ${PAUSE_S} s frozen` : ""}`;

export default defineScenario({
  name: "sequential",
  title: "One command or ten per invocation",
  question: "How much does keep-alive save on one command and on ten, and how much more a pipeline?",
  clients: "candidates",
  parts: [cacheMiss, endToEnd],
  defaults: { rounds: [1, 1], invocations: [12, 12] },
  cases: async ({ rig, clients }) => {
    const own = await rig();
    for (const key of KEYS) await own.command("SET", key, GREETING);
    return clients.flatMap((client) => MODES.map((mode) => ({ client, ...mode, rig: own })));
  },
  label: ({ client, ...mode }) => `${client.label}, ${nameOf(mode)}`,
  lanes: 30,
  durationS: (mode, { invocations }) => (mode.frozen ? PAUSE_S * callsOf(mode, invocations) : 0),
  run: async ({ client, rig, ...mode }, { settings }) => {
    const { keepAlive, name, commands, frozen } = mode;
    const spec = commandsFunction(client, { keepAlive, reused: true }, rig);
    const how = name === "together" || name === "pipeline" ? name : "sequential";
    const command = name === "pipeline" ? "get" : "set";
    const event: CommandsEvent = { keys: KEYS.slice(0, commands), how, command };
    const calls = callsOf(mode, settings.invocations);
    const pauses = { calls, pauseMs: frozen ? PAUSE_S * 1_000 : 0, frozen };
    const { latencies, failed } = await runPaused(spec, event, pauses);
    if (failed > 0) throw new Error(`${client.label}, ${nameOf(mode)}: ${failed} invocations failed`);
    return { warm: latencies };
  },
  report: (rows, { settings }) => {
    const compared = byClient(rows).map(({ name, label, rows: own }) => {
      const of = (name: Mode["name"], keepAlive = true, frozen = false) =>
        own.find((row) => row.name === name && row.keepAlive === keepAlive && row.frozen === frozen)!.warm;
      /** The times of a write, or of ten, without keep-alive and with it. */
      const timesOf = (name: "one" | "ten", frozen: boolean) =>
        [of(name, false, frozen), of(name, true, frozen)] as const;
      const writesOf = (frozen: boolean) => ({ one: timesOf("one", frozen), ten: timesOf("ten", frozen) });
      const [frozen, backToBack] = [writesOf(true), writesOf(false)];
      return { name, label, frozen, backToBack, pipeline: of("pipeline") };
    });
    /** How much more time keep-alive saves on ten writes than on one. */
    const savedMore = ({ one, ten }: (typeof compared)[number]["frozen"]) =>
      combine([...ten, ...one], (off10, on10, off1, on1) => off10 - on10 - (off1 - on1), mean);
    // The article's SDK sends each write through Node's own agent. Its calls are sent by a person, so times after a freeze decide.
    const decide = decidedBy(compared, ({ name }) => name === "agent");
    return {
      checks: [
        ...decide("lambda.one", ({ label, frozen: { one }, backToBack }) =>
          atLeast(`${label}: keep-alive makes one write faster, on average`, ratio(...one, mean), 1, {
            detail: `${ms(one[1].estimate(mean).value)} with it`,
            beside: `back to back ${withInterval(ratio(...backToBack.one, mean), factor)}`,
          }),
        ),
        ...decide("lambda.ten", ({ label, frozen, backToBack, pipeline }) => {
          const { one, ten } = frozen;
          const faster = withInterval(ratio(backToBack.ten[1], pipeline), factor);
          return atLeast(
            `${label}: keep-alive saves more on ten writes than on one, on average`,
            savedMore(frozen),
            0,
            {
              detail: `${ms(difference(...ten, mean).value)} against ${ms(difference(...one, mean).value)}`,
              beside: `back to back ${withInterval(savedMore(backToBack), ms)}; as one pipeline ${faster} as fast as one after another`,
              text: ms,
            },
          );
        }),
        ...compared.map(({ label, backToBack, pipeline }) =>
          atLeast(
            `${label}: a pipeline of ten is faster than ten one after another`,
            ratio(backToBack.ten[1], pipeline),
            1,
          ),
        ),
      ],
      ...tabulate(rows, { group: ({ client }) => client.name, charts: ["p50 ms"] }, [
        ["client", ({ client }) => client.label],
        ["commands", nameOf],
        ...latencyColumns("warm"),
      ]),
      notes: [
        `Each client runs ${settings.invocations} invocations per mode in each of ${settings.rounds} instances, a quarter of them if the instance is frozen for ${PAUSE_S} s between two. The client is created outside the handler. The first three invocations of an instance do not count.`,
        "Concurrent means that the ten commands are issued with Promise.all. A client with auto-pipelining sends them as one request; the others use as many connections as they open, or one after another.",
      ],
    };
  },
});
