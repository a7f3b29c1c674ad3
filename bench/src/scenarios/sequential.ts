import { availableClients, versionsOf } from "../available-clients.js";
import { type BenchClient, commandsFunction } from "../bench-client.js";
import type { CommandsEvent } from "../handlers/commands.js";
import type { Outcome } from "../result.js";
import { conditionsOf, startRig } from "../rig.js";
import { inRounds, shareOf } from "../rounds.js";
import { GREETING, runInstance } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";
import { buildReport, type Case, type Measurement, nameOf, type Way } from "../sequential/report.js";
import { Series } from "../series.js";

const MANY = 10;

/** Runs one and ten commands per invocation, keep-alive on and off; then the ten concurrently, and as one pipeline. */
const sequential: Scenario = {
  name: "sequential",
  title: "One command or ten per invocation",
  question:
    "How much time does keep-alive save for one command and for ten, and how much more does a pipeline save?",
  clients: "all",
  order: 4,
  run: measure,
};

export default sequential;

const WAYS: readonly Way[] = [
  { name: "one", commands: 1, keepAlive: true, how: "sequential" },
  { name: "one", commands: 1, keepAlive: false, how: "sequential" },
  { name: "ten", commands: MANY, keepAlive: true, how: "sequential" },
  { name: "ten", commands: MANY, keepAlive: false, how: "sequential" },
  { name: "together", commands: MANY, keepAlive: true, how: "together" },
  { name: "pipeline", commands: MANY, keepAlive: true, how: "pipeline" },
];

async function measure(settings: Settings): Promise<Outcome> {
  const invocations = settings.invocations ?? (settings.quick ? 30 : 300);
  const rounds = Math.min(settings.rounds ?? (settings.quick ? 2 : 5), invocations);
  const { clients, redis, notes } = availableClients(settings.clients);
  const cases: { series: Series<Case>; client: BenchClient }[] = clients.flatMap((client) =>
    WAYS.map((way) => ({
      series: new Series({ ...way, client: client.name, label: client.label, batches: client.batches }),
      client,
    })),
  );
  const rig = await startRig({ ...settings, redis });
  try {
    const keys = Array.from({ length: MANY }, (_, index) => `greeting:${index}`);
    for (const key of keys) await rig.command("SET", key, GREETING);
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${nameOf(of)}`,
      async ({ series, client }, round) => {
        const { keepAlive, how, commands } = series.of;
        const what = commandsFunction(client, { keepAlive, reused: true }, rig.endpoint);
        const event: CommandsEvent = { keys: keys.slice(0, commands), how };
        const { latencies } = await runInstance(client.label, what, {
          invocations: shareOf(invocations, rounds, round) + 1,
          events: [event],
          expected: GREETING,
          trust: rig.trust,
        });
        series.add(latencies.slice(1));
      },
    );
    const measured: Measurement[] = cases.map(({ series }) => ({ ...series.of, ...series.measured() }));
    return {
      ...buildReport(measured),
      notes: [
        `Each client runs ${invocations} invocations per mode in ${rounds} instances. The client is created outside the handler. The first invocation of an instance does not count. Commands are GETs of small values.`,
        "Concurrent means that the ten commands are issued with Promise.all. A client with auto-pipelining sends them as one request; the others use as many connections as they open, or one after another.",
        ...notes,
      ],
      settings: {
        invocations,
        rounds,
        ...conditionsOf(settings, rig, clients),
      },
      versions: versionsOf(clients),
      data: measured,
    };
  } finally {
    await rig.close();
  }
}
