import { commandsFunction } from "../client/bench-client.js";
import ephemeral from "../parts/ephemeral.js";
import { atLeast, decidedBy } from "../results/checks.js";
import { byClient, count, grouped, latencyColumns, ms, tabulate } from "../results/present.js";
import { GREETING, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { combine, difference, mean, ratio } from "../statistics/series.js";

const SIZES = [128, 512, 1_024, 3_008];
/** MB of a function with one whole processor; other sizes get a proportional share. */
const MB_PER_PROCESSOR = 1_769;

export default defineScenario({
  name: "memory",
  title: "Connections on small functions",
  question: "How much slower do connecting and starting get as the function's memory shrinks?",
  // A client takes half a minute, and ioredis is the article's.
  clients: "standard,ioredis",
  sizes: true,
  parts: [ephemeral],
  defaults: { rounds: [1, 1], invocations: [12, 12] },
  cases: async ({ rig, clients, settings, record }) => {
    const own = await rig({ greeting: true });
    const sizes = settings.sizes ?? SIZES;
    record({ sizes });
    return sizes.flatMap((memoryMb) =>
      clients.flatMap((client) =>
        [true, false].map((reused) => ({ client, memoryMb, keepAlive: reused, reused, rig: own })),
      ),
    );
  },
  label: ({ client, memoryMb }) => `${client.label}, ${memoryMb} MB`,
  group: ({ memoryMb }) => String(memoryMb),
  run: async ({ client, memoryMb, keepAlive, reused, rig }, { settings, record }) => {
    const spec = commandsFunction(client, { keepAlive, reused }, rig);
    const { init, first, warm, throttle } = await runInstance(client.label, spec, {
      invocations: settings.invocations + 1,
      expected: GREETING,
      memoryMb,
      cpu: memoryMb / MB_PER_PROCESSOR,
      timeoutMs: 60_000,
      initTimeoutMs: 60_000,
    });
    record({ throttle });
    return { init, first, start: init + first, warm, throttle };
  },
  report: (rows, { settings }) => {
    const sizeOf = ({ memoryMb }: { memoryMb: number }) => `${count(memoryMb)} MB`;
    const both = grouped(rows, (row) => `${row.client.name}, ${row.memoryMb}`);
    // The mean, since under a quota some invocations wait for others.
    const pairs = both.map(([, [kept, off]]) => ({ ...kept!, own: off!.warm }));
    const extra = ({ own, warm }: (typeof pairs)[number]) => difference(own, warm, mean).value;
    // Each client on the smallest function and on the largest.
    const compared = byClient(pairs).flatMap(({ name, label, rows: own }) =>
      own.length > 1 ? [{ name, label, at: own[0]!, whole: own.at(-1)! }] : [],
    );
    const throttle = rows[0]!.throttle[0];
    return {
      checks: [
        ...decidedBy(compared, ({ name }) => name === "ioredis")(
          "serverless.smallFunction",
          ({ label, at, whole }) =>
            atLeast(
              `${label}: connecting takes longer at ${at.memoryMb} MB than at ${whole.memoryMb} MB`,
              combine([at.own, at.warm, whole.own, whole.warm], (a, b, c, d) => a - b - (c - d), mean),
              0,
              { detail: `${ms(extra(at))} and ${ms(extra(whole))} on average`, text: ms },
            ),
        ),
        ...compared.map(({ label, at, whole }) =>
          atLeast(
            `${label}: starting takes longer at ${at.memoryMb} MB than at ${whole.memoryMb} MB`,
            ratio(at.start, whole.start),
            1,
          ),
        ),
      ],
      ...tabulate(rows, { group: sizeOf, charts: ["mean ms", "first ms"] }, [
        ["function", sizeOf],
        ["client", ({ client }) => client.label],
        ["connection", ({ reused }) => (reused ? "reused" : "one per invocation")],
        ["init ms", ({ init }) => init.estimate(), 0],
        ["first ms", ({ first }) => first.estimate(), 1],
        ...latencyColumns("warm"),
      ]),
      notes: [
        `On Lambda a function of 1,769 MB has one processor, and smaller ones a proportional share. Here the share is enforced by ${throttle === "duty cycle" ? "a duty cycle: the process is stopped once it has used its part of each 20 ms, because no cgroup can be created here (run as root to use a quota of the kernel)" : `a ${throttle} of the kernel over periods of 20 ms`}, from the first instruction of the process. Memory is not limited.`,
        "Lambda gives the init phase of a small function more than its share; here it does not, so init times are upper bounds.",
        `Each client runs ${settings.invocations} invocations of one GET in each of ${settings.rounds} instances per size. The client is created outside the handler with keep-alive, or created, used and closed inside.`,
      ],
    };
  },
});
