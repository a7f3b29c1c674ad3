import { startInstance } from "warmline-testbed";
import { Cell } from "../keepalive/cell.js";
import { checksOf, figuresOf, findingOf } from "../keepalive/finding.js";
import { chartsOf, tableOf } from "../keepalive/present.js";
import { versionOf } from "../machine.js";
import type { Variant } from "../peer.js";
import { randomFrom, shuffled } from "../random.js";
import type { Outcome } from "../result.js";
import { type Rig, startRig } from "../rig.js";
import type { Scenario, Settings } from "../scenario.js";

const VARIANTS: readonly Variant[] = [
  { keepAlive: true, reused: true },
  { keepAlive: true, reused: false },
  { keepAlive: false, reused: true },
  { keepAlive: false, reused: false },
];
const GREETING = "hello from a warm connection";
const WARM_UP_INVOCATIONS = 20;

/**
 * The four scenarios of the article: keep-alive on or off, the client (or agent) made outside the handler or inside,
 * one GET of a small value per invocation. The invocations of a combination are spread over several instances, in
 * rounds whose order is mixed, so that what else the machine does falls on all alike.
 */
const keepalive: Scenario = {
  name: "keepalive",
  title: "Keep-alive in serverless functions",
  question: "What is a warm connection worth, and does it matter where the client is created?",
  run: measure,
};

export default keepalive;

async function measure(settings: Settings): Promise<Outcome> {
  const invocations = settings.invocations ?? (settings.quick ? 100 : 1_000);
  const rounds = Math.min(settings.rounds ?? (settings.quick ? 5 : 10), Math.floor(invocations / 2));
  const cells = settings.peers.flatMap((peer) => VARIANTS.map((variant) => new Cell(peer, variant)));
  const rig = await startRig(settings);
  try {
    await rig.command("SET", "greeting", GREETING);
    for (const peer of settings.peers) {
      settings.progress.step(0, 1, `warming up with ${peer.label}`);
      await live(rig, new Cell(peer, VARIANTS[0]!), WARM_UP_INVOCATIONS);
    }
    const random = randomFrom(settings.seed);
    let done = 0;
    for (let round = 0; round < rounds; round++) {
      for (const cell of shuffled(cells, random)) {
        settings.progress.step(
          done++,
          rounds * cells.length,
          `round ${round + 1} of ${rounds}, ${cell.peer.label}`,
        );
        await live(rig, cell, share(invocations, rounds, round));
      }
    }
    const measured = cells.map((cell) => cell.measured());
    return {
      figures: figuresOf(measured),
      finding: findingOf(measured, settings.rttMs, settings.tls),
      checks: checksOf(measured),
      table: tableOf(measured),
      charts: chartsOf(measured, settings.rttMs, settings.tls),
      notes: [
        `Each client runs ${invocations} invocations per scenario, in ${rounds} instances one after another, in an order mixed by the seed. An instance is a process of its own that is driven as Lambda drives a function.`,
        "A latency is the handler's whole time, measured inside the function: making the client where the scenario says so, one GET, and its reply. The first invocation of each instance is kept apart from the warm ones; the table shows the median of the first ones.",
        "Connections are counted by the gateway.",
        ...(settings.rttMs > 0
          ? [`The path to the gateway adds a round-trip time of ${settings.rttMs} ms, to handshakes too.`]
          : []),
        ...settings.peers.flatMap((peer) => peer.note ?? []),
      ],
      settings: {
        invocations,
        rounds,
        rttMs: settings.rttMs,
        tls: settings.tls,
        engine: rig.engine,
        quick: settings.quick,
        clients: settings.peers.map((peer) => peer.name),
      },
      versions: Object.fromEntries(
        [...settings.peers.flatMap((peer) => peer.package ?? []), "warmline-gateway"].map((name) => [
          name,
          versionOf(name),
        ]),
      ),
      data: measured,
    };
  } finally {
    settings.progress.end();
    await rig.close();
  }
}

/** How many of the invocations fall on a round. */
function share(invocations: number, rounds: number, round: number): number {
  return Math.floor((invocations * (round + 1)) / rounds) - Math.floor((invocations * round) / rounds);
}

/** One instance from start to end. */
async function live(rig: Rig, cell: Cell, invocations: number): Promise<void> {
  const { handler, env } = cell.peer.keepalive(cell.variant, rig.endpoint);
  const before = await rig.gateway.connectionsOpened();
  const instance = await startInstance({ handler, env: { ...env, ...rig.trust } });
  try {
    const latencies: number[] = [];
    for (let n = 0; n < invocations; n++) {
      const { result, error, durationMs } = await instance.invoke();
      const body = (result as { body?: unknown } | undefined)?.body;
      if (error || body !== GREETING) {
        const problem = error
          ? `${error.errorType}: ${error.errorMessage}`
          : `the answer was ${JSON.stringify(result)}`;
        throw new Error(`${cell.peer.label}: ${problem}\n${instance.output}`);
      }
      latencies.push(durationMs);
    }
    cell.add(instance.initMs, latencies, (await rig.gateway.connectionsOpened()) - before);
  } finally {
    await instance.stop();
  }
}
