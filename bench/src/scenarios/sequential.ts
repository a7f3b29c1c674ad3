import { commandsFunction } from "../bench-client.js";
import { factor, withInterval } from "../format.js";
import type { CommandsEvent } from "../handlers/commands.js";
import { barChart, byClient, curveChart, latencyColumns, tableOf } from "../present.js";
import { GREETING, runInstance } from "../run-instance.js";
import { defineScenario } from "../scenario.js";
import { sequentialChecks } from "../sequential/sequential-checks.js";
import { ratio, type Series } from "../series.js";

const KEYS = Array.from({ length: 10 }, (_, index) => `greeting:${index}`);

interface Mode {
  readonly name: "one" | "ten" | "together" | "pipeline";
  readonly commands: number;
  readonly keepAlive: boolean;
}

const MODES: readonly Mode[] = [
  { name: "one", commands: 1, keepAlive: true },
  { name: "one", commands: 1, keepAlive: false },
  { name: "ten", commands: 10, keepAlive: true },
  { name: "ten", commands: 10, keepAlive: false },
  { name: "together", commands: 10, keepAlive: true },
  { name: "pipeline", commands: 10, keepAlive: true },
];
const TITLES = {
  one: "one SET",
  ten: "ten SETs, one after another",
  together: "ten SETs, concurrent",
  pipeline: "ten GETs, as one pipeline",
};
const nameOf = ({ name, keepAlive }: Mode) => `${TITLES[name]}${keepAlive ? "" : ", keep-alive off"}`;

/** Runs one and ten writes per invocation, keep-alive on and off; then ten concurrently, and as one pipeline. */
export default defineScenario({
  name: "sequential",
  title: "One command or ten per invocation",
  question:
    "How much time does keep-alive save for one command and for ten, and how much more does a pipeline save?",
  clients: "shipped",
  order: 4,
  defaults: { rounds: [5, 1], invocations: [40, 15] },
  cases: async ({ rig, clients }) => {
    const own = await rig();
    for (const key of KEYS) await own.command("SET", key, GREETING);
    return clients.flatMap((client) => MODES.map((mode) => ({ client, ...mode, rig: own })));
  },
  label: ({ client, ...mode }) => `${client.label}, ${nameOf(mode)}`,
  group: ({ client }) => client.name,
  run: async ({ client, keepAlive, name, commands, rig }, { settings }) => {
    const what = commandsFunction(client, { keepAlive, reused: true }, rig.endpoint);
    const how = name === "together" || name === "pipeline" ? name : "sequential";
    const command = name === "pipeline" ? "get" : "set";
    const event: CommandsEvent = { keys: KEYS.slice(0, commands), how, command };
    const options = { invocations: settings.invocations + 1, events: [event], trust: rig.trust };
    return { warm: (await runInstance(client.label, what, options)).warm };
  },
  report: (rows, { settings }) => {
    // The order of MODES.
    const clients = byClient(rows).map(({ name, label, rows: own }) => {
      const [oneOn, oneOff, tenOn, tenOff, , pipeline] = own.map(({ warm }) => warm) as Series[];
      return {
        name,
        label,
        one: [oneOff!, oneOn!] as const,
        ten: [tenOff!, tenOn!] as const,
        pipeline: pipeline!,
      };
    });
    const names = MODES.map(nameOf);
    const style = (row: Mode) => ({ label: nameOf(row), hue: names.indexOf(nameOf(row)) });
    return {
      headlines: clients.map(({ label, ten }) => ({
        value: withInterval(ratio(...ten), factor),
        label: `faster with keep-alive, ten commands, ${label}`,
      })),
      checks: sequentialChecks(clients),
      table: tableOf(rows, ({ client }) => client.name, [
        ["client", ({ client }) => client.label],
        ["commands", nameOf],
        ...latencyColumns("warm"),
      ]),
      charts: [
        barChart("An invocation's median time", "ms", rows, {
          group: ({ client }) => client.label,
          style,
          value: ({ warm }) => warm.estimate(),
        }),
        curveChart("An invocation's time by percentile", rows, {
          group: ({ client }) => client.label,
          style,
          series: ({ warm }) => warm,
        }),
      ],
      notes: [
        `Each client runs ${settings.invocations} invocations per mode in each of ${settings.rounds} instances. The client is created outside the handler. The first invocation of an instance does not count.`,
        "Concurrent means that the ten commands are issued with Promise.all. A client with auto-pipelining sends them as one request; the others use as many connections as they open, or one after another.",
      ],
    };
  },
});
