import { availableClients, versionsOf } from "../available-clients.js";
import { commandsFunction, type Variant } from "../bench-client.js";
import { Cell } from "../keepalive/cell.js";
import { chartsOf, tableOf } from "../keepalive/present.js";
import { checksOf, headlinesOf, summaryOf } from "../keepalive/summary.js";
import type { Outcome } from "../result.js";
import { conditionsOf, type Rig, startRig } from "../rig.js";
import { inRounds, shareOf } from "../rounds.js";
import { GREETING, runInstance } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";

const VARIANTS: readonly Variant[] = [
  { keepAlive: true, reused: true },
  { keepAlive: true, reused: false },
  { keepAlive: false, reused: true },
  { keepAlive: false, reused: false },
];
const WARM_UP_INVOCATIONS = 20;

/**
 * Runs the four variants of the article: keep-alive on or off, the client (or agent) created outside or inside the handler,
 * one GET of a small value per invocation. The invocations of a variant are spread over several instances, in rounds of
 * shuffled order, so that other load on the machine affects all variants alike.
 */
const keepalive: Scenario = {
  name: "keepalive",
  title: "Keep-alive in serverless functions",
  question:
    "How much faster is a command on a kept connection, and does it matter where the client is created?",
  order: 1,
  run: measure,
};

export default keepalive;

async function measure(settings: Settings): Promise<Outcome> {
  const invocations = settings.invocations ?? (settings.quick ? 100 : 1_000);
  const rounds = Math.min(settings.rounds ?? (settings.quick ? 5 : 10), Math.floor(invocations / 2));
  const { clients, redis, notes } = availableClients(settings.clients);
  const cells = clients.flatMap((client) => VARIANTS.map((variant) => new Cell(client, variant)));
  const rig = await startRig({ ...settings, redis });
  try {
    await rig.command("SET", "greeting", GREETING);
    for (const client of clients) {
      settings.progress.step(0, 1, `warming up with ${client.label}`);
      await run(rig, new Cell(client, VARIANTS[0]!), WARM_UP_INVOCATIONS);
    }
    await inRounds(
      settings,
      rounds,
      cells,
      ({ client }) => client.label,
      (cell, round) => run(rig, cell, shareOf(invocations, rounds, round)),
    );
    const measured = cells.map((cell) => cell.measured());
    return {
      headlines: headlinesOf(measured),
      summary: summaryOf(measured, settings.rttMs, settings.tls),
      checks: checksOf(measured),
      table: tableOf(measured),
      charts: chartsOf(measured, settings.rttMs, settings.tls),
      notes: [
        `Each client runs ${invocations} invocations per variant, in ${rounds} instances one after another, in an order determined by the seed. An instance is a separate process that runs as Lambda runs a function.`,
        "A latency is the handler's total time, measured inside the function: creating the client if the variant does so, one GET and its reply. The first invocation of each instance is not among the warm ones; the table shows the median of first invocations.",
        "Connections are counted at the proxy.",
        ...(settings.rttMs > 0
          ? [`The proxy adds a round-trip time of ${settings.rttMs} ms, to handshakes too.`]
          : []),
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

/** Runs one instance from start to end. */
async function run(rig: Rig, cell: Cell, invocations: number): Promise<void> {
  const { client, variant } = cell;
  const what = (client.keepalive ?? commandsFunction.bind(undefined, client))(variant, rig.endpoint);
  const before = rig.connectionsOpened(client);
  const { initMs, latencies } = await runInstance(client.label, what, {
    invocations,
    expected: GREETING,
    trust: rig.trust,
  });
  cell.add(initMs, latencies, rig.connectionsOpened(client) - before);
}
