import { availableClients, versionsOf } from "../available-clients.js";
import { type BenchClient, commandsFunction } from "../bench-client.js";
import { spreadOf } from "../latencies.js";
import { buildReport, type Case, type Measurement } from "../memory/report.js";
import type { Outcome } from "../result.js";
import { conditionsOf, startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import { GREETING, runInstance } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series } from "../series.js";

/** The function's sizes in MB. */
const SIZES = [128, 256, 512, 1_024, 1_769, 3_008];
/** MB of a function with one whole processor; other sizes get a proportional share. */
const MB_PER_PROCESSOR = 1_769;

/** Repeats the ephemeral scenario with the processor share that a Lambda function of each size has. */
const memory: Scenario = {
  name: "memory",
  title: "Connections on small functions",
  question: "How much slower do connecting and starting get as the function's memory shrinks?",
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
        `On Lambda a function of 1,769 MB has one processor, and smaller ones a proportional share. Here the share is enforced by ${throttle === "duty cycle" ? "a duty cycle: the process is stopped once it has used its part of each 20 ms, because no cgroup can be created here (run as root to use a quota of the kernel)" : `a ${throttle} of the kernel over periods of 20 ms`}, from the first instruction of the process. Memory is not limited.`,
        "Lambda gives the init phase of a small function more than its share; here it does not, so init times are upper bounds.",
        `Each client runs ${invocations} invocations of one GET in each of ${rounds} instances per size. The client is created outside the handler with keep-alive, or created, used and closed inside. Init phase and first invocation are reported separately.`,
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

/** Returns all sizes; a quick run skips two in between. */
function defaultSizes(quick: boolean): readonly number[] {
  return quick ? SIZES.filter((size) => size !== 256 && size !== 1_024) : SIZES;
}
