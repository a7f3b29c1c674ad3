import { availableClients, versionsOf } from "../available-clients.js";
import { type BenchClient, commandsFunction } from "../bench-client.js";
import { spreadOf } from "../latencies.js";
import { buildReport, type Case, type Measurement } from "../memory/report";
import type { Outcome } from "../result.js";
import { conditionsOf, startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import { GREETING, runInstance } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series } from "../series.js";

/** The sizes of a function in MB. */
const SIZES = [128, 256, 512, 1_024, 1_769, 3_008];
/** A function of this size has one processor; below and above it is in proportion. */
const MB_PER_PROCESSOR = 1_769;

/** The ephemeral experiment once more, on the processor share that a Lambda function of each size has. */
const memory: Scenario = {
  name: "memory",
  title: "Connections on small functions",
  question:
    "How much dearer is connecting, and starting, where the function has little memory and so little processor?",
  clients: ["warmline", "upstash", "agent", "ioredis"],
  order: 5,
  run: measure,
};

export default memory;

async function measure(settings: Settings): Promise<Outcome> {
  const invocations = settings.invocations ?? (settings.quick ? 12 : 60);
  const rounds = settings.rounds ?? (settings.quick ? 1 : 5);
  const sizes = settings.sizes ?? defaultSizes(settings.quick);
  const { clients, redis, notes } = availableClients(settings.clients);
  const rig = await startRig({ ...settings, redis });
  let throttle = "";
  try {
    await rig.command("SET", "greeting", GREETING);
    const cases = sizes.flatMap((memoryMb) =>
      clients.flatMap((client) =>
        [true, false].map((reused) => ({
          series: new Series<Case>({ client: client.name, label: client.label, memoryMb, reused }),
          client: client as BenchClient,
          inits: [] as number[],
          firsts: [] as number[],
        })),
      ),
    );
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${of.memoryMb} MB`,
      async ({ series, client, inits, firsts }) => {
        const { memoryMb, reused } = series.of;
        const what = commandsFunction(client, { keepAlive: reused, reused }, rig.endpoint);
        const run = await runInstance(client.label, what, {
          invocations: invocations + 1,
          expected: GREETING,
          trust: rig.trust,
          memoryMb,
          cpu: memoryMb / MB_PER_PROCESSOR,
          timeoutMs: 60_000,
          initTimeoutMs: 60_000,
        });
        throttle = run.throttle!;
        const [first, ...warm] = run.latencies;
        inits.push(run.initMs);
        firsts.push(first!);
        series.add(warm);
      },
    );
    const measured: Measurement[] = cases.map(({ series, inits, firsts }) => ({
      ...series.of,
      ...series.measured(),
      init: spreadOf(inits),
      first: spreadOf(firsts),
    }));
    return {
      ...buildReport(measured),
      notes: [
        `A function of 1,769 MB has one processor on Lambda; each size here has its share of one, held by ${throttle === "duty cycle" ? "a duty cycle: the process is stopped once it has used its part of each 20 ms, because this machine lets no cgroup be made (run as root for a quota of the kernel)" : `a ${throttle} of the kernel over periods of 20 ms`}, from the process's first instruction on. Memory itself is not limited.`,
        "Lambda gives the init phase of a small function more than its share; here it has its share alone, so init is what it costs at most.",
        `Each client runs ${invocations} invocations of one GET on each of ${rounds} instances per size, its client outside the handler with keep-alive, or made, used and closed inside; init phase and first invocation are kept apart.`,
        ...notes,
      ],
      settings: {
        invocations,
        rounds,
        sizes,
        throttle,
        ...conditionsOf(settings, rig, clients),
      },
      versions: versionsOf(clients),
      data: measured,
    };
  } finally {
    await rig.close();
  }
}

/** A quick look leaves out sizes that lie between others. */
function defaultSizes(quick: boolean): readonly number[] {
  return quick ? SIZES.filter((size) => size !== 256 && size !== 1_024) : SIZES;
}
