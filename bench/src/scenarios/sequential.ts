import { commandsFunction } from "../client/bench-client.js";
import type { CommandsEvent } from "../handlers/commands.js";
import cacheMiss from "../parts/cache-miss.js";
import endToEnd from "../parts/end-to-end.js";
import { factor, headline } from "../results/format.js";
import { barChart, byClient, curveChart, latencyColumns, tableOf } from "../results/present.js";
import { GREETING } from "../rig/run-instance.js";
import { runPaused } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";
import { type ClientTimes, sequentialChecks, type WriteTimes } from "../sequential/sequential-checks.js";
import { ratio } from "../statistics/series.js";

const KEYS = Array.from({ length: 10 }, (_, index) => `greeting:${index}`);

interface Mode {
  readonly name: "one" | "ten" | "together" | "pipeline";
  readonly commands: number;
  readonly keepAlive: boolean;
  /** Whether the instance is frozen between two invocations, as between the article's, which a person sends. */
  readonly frozen: boolean;
}

const PAUSE_S = 2;
const writes = (frozen: boolean): readonly Mode[] =>
  (["one", "ten"] as const).flatMap((name) =>
    [true, false].map((keepAlive) => ({ name, commands: name === "one" ? 1 : 10, keepAlive, frozen })),
  );
const MODES: readonly Mode[] = [
  ...writes(false),
  { name: "together", commands: 10, keepAlive: true, frozen: false },
  { name: "pipeline", commands: 10, keepAlive: true, frozen: false },
  ...writes(true),
];
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

/** Runs one and ten writes per invocation, keep-alive on and off; then ten concurrently, and as one pipeline. */
export default defineScenario({
  name: "sequential",
  title: "One command or ten per invocation",
  question:
    "How much time does keep-alive save for one command and for ten, and how much more does a pipeline save?",
  clients: "shipped",
  order: 4,
  parts: [cacheMiss, endToEnd],
  defaults: { rounds: [1, 1], invocations: [16, 15] },
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
    const what = commandsFunction(client, { keepAlive, reused: true }, rig.endpoint);
    const how = name === "together" || name === "pipeline" ? name : "sequential";
    const command = name === "pipeline" ? "get" : "set";
    const event: CommandsEvent = { keys: KEYS.slice(0, commands), how, command };
    const calls = callsOf(mode, settings.invocations);
    const pauses = { calls, pauseMs: frozen ? PAUSE_S * 1_000 : 0, frozen };
    const { latencies, failed } = await runPaused(what, rig.trust, event, pauses);
    if (failed > 0) throw new Error(`${client.label}, ${nameOf(mode)}: ${failed} invocations failed`);
    return { warm: latencies };
  },
  report: (rows, { settings }) => {
    const clients = byClient(rows).map(({ name, label, rows: own }): ClientTimes => {
      const of = (what: Mode["name"], keepAlive = true, frozen = false) =>
        own.find((row) => row.name === what && row.keepAlive === keepAlive && row.frozen === frozen)?.warm;
      const timesOf = (frozen: boolean): WriteTimes | undefined => {
        const [oneOff, tenOff] = [of("one", false, frozen), of("ten", false, frozen)];
        if (!oneOff || !tenOff) return undefined;
        return { one: [oneOff, of("one", true, frozen)!], ten: [tenOff, of("ten", true, frozen)!] };
      };
      const [frozen, backToBack] = [timesOf(true), timesOf(false)];
      const saved = frozen && backToBack && { ...frozen, backToBack };
      return { name, label, saved, ten: of("ten")!, pipeline: of("pipeline")! };
    });
    const names = MODES.map(nameOf);
    const marks = {
      group: ({ client }: (typeof rows)[number]) => client.label,
      style: (row: Mode) => ({ label: nameOf(row), hue: names.indexOf(nameOf(row)) }),
    };
    return {
      headlines: clients.flatMap(({ label, saved }) => {
        if (!saved) return [];
        const faster = ratio(...saved.backToBack.ten);
        return headline(faster, factor, `faster with keep-alive, ten commands, ${label}`);
      }),
      checks: sequentialChecks(clients),
      table: tableOf(rows, ({ client }) => client.name, [
        ["client", ({ client }) => client.label],
        ["commands", nameOf],
        ...latencyColumns("warm"),
      ]),
      charts: [
        barChart("An invocation's median time", "ms", rows, {
          ...marks,
          value: (row) => row.warm.estimate(),
        }),
        curveChart("An invocation's time by percentile", rows, { ...marks, series: ({ warm }) => warm }),
      ],
      notes: [
        `Each client runs ${settings.invocations} invocations per mode in each of ${settings.rounds} instances, a quarter of them if the instance is frozen for ${PAUSE_S} s between two. The client is created outside the handler. The first three invocations of an instance do not count.`,
        "Concurrent means that the ten commands are issued with Promise.all. A client with auto-pipelining sends them as one request; the others use as many connections as they open, or one after another.",
      ],
    };
  },
});
