import { availableClients, versionsOf } from "../available-clients.js";
import { type BenchClient, clientFunction } from "../bench-client.js";
import { buildReport, type Case, type Measurement, nameOf } from "../ephemeral/report.js";
import type { LoopEvent } from "../handlers/loop.js";
import type { Outcome } from "../result.js";
import { conditionsOf, type Site, startRig } from "../rig.js";
import { inRounds, shareOf } from "../rounds.js";
import { runInstance } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series } from "../series.js";

/** The pause between two commands in ms, as in the article. */
const DELAY_MS = 10;
/** Round-trip times in ms within a zone and between two zones. */
const ZONES = [0.25, 1];

/**
 * Compares a connection per command with one connection for all, with a pause between commands. The article's code
 * measures the time until a command is issued, not until its reply; this scenario measures both.
 */
const ephemeral: Scenario = {
  name: "ephemeral",
  title: "One connection per command, or one for all",
  question: "How much slower is a command with a connection of its own than one on a shared connection?",
  clients: ["warmline", "upstash", "agent", "ioredis", "node-redis"],
  distances: true,
  order: 3,
  run: measure,
};

export default ephemeral;

const WAYS = [
  { use: "reuse", awaited: true },
  { use: "ephemeral", awaited: true },
  { use: "reuse", awaited: false },
  { use: "ephemeral", awaited: false },
] as const;

async function measure(settings: Settings): Promise<Outcome> {
  const rtts = settings.rtts ?? ZONES;
  const commands = settings.invocations ?? (settings.quick ? 60 : 1_000);
  const rounds = Math.min(settings.rounds ?? (settings.quick ? 2 : 5), commands);
  const { clients, redis, notes } = availableClients(settings.clients);
  const rig = await startRig({ ...settings, redis });
  try {
    const cases: { series: Series<Case>; client: BenchClient; site: Site }[] = [];
    for (const rttMs of rtts) {
      const site = await rig.at({ rttMs });
      for (const client of clients) {
        const { name, label, protocol } = client;
        for (const way of WAYS)
          cases.push({ series: new Series({ client: name, label, protocol, rttMs, ...way }), client, site });
      }
    }
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${nameOf(of)}`,
      async ({ series, client, site }, round) => {
        const { use, awaited } = series.of;
        const reused = use === "reuse";
        const what = clientFunction("loop", client, { keepAlive: reused, reused }, site.endpoint);
        const event: LoopEvent = {
          use,
          awaited,
          commands: shareOf(commands, rounds, round),
          delayMs: DELAY_MS,
        };
        const options = { trust: rig.trust, timeoutMs: 120_000 };
        // The first invocation warms the function up.
        const warmUp = { ...event, commands: 5, delayMs: 0 };
        const { bodies } = await runInstance(client.label, what, { ...options, events: [warmUp, event] });
        series.add(bodies[1] as number[]);
      },
    );
    const measured: Measurement[] = cases.map(({ series }) => ({ ...series.of, ...series.measured() }));
    return {
      ...buildReport(measured),
      notes: [
        `Each client runs ${commands} PINGs per mode, ${DELAY_MS} ms apart, in ${rounds} instances, after five that do not count. Ephemeral: create the client, run the command, close the client.`,
        "Awaited: the time ends with the reply (ephemeral: once the client is closed). Not awaited: the time ends when the call returns, as in the article, whose code awaits neither the command nor the connection. It measures the time to create an object and to queue a command.",
        "A round trip takes 0.25 ms within a zone and 1 ms between two zones.",
        ...notes,
      ],
      settings: {
        commands,
        rounds,
        delayMs: DELAY_MS,
        ...conditionsOf(settings, rig, clients),
        rttMs: rtts.join(", "),
      },
      versions: versionsOf(clients),
      data: measured,
    };
  } finally {
    await rig.close();
  }
}
