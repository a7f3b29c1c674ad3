import { versionsOf } from "../available-clients.js";
import { badResponses } from "../faults/bad-responses.js";
import type { FaultGroup } from "../faults/fault.js";
import { frozenMeanwhile } from "../faults/frozen.js";
import { lostResponses } from "../faults/lost-responses.js";
import { chartsOf, tableOf } from "../faults/present.js";
import { ReplacedInstance } from "../faults/replaced-instance";
import { checksOf, headlinesOf, summaryOf } from "../faults/summary";
import { Tally } from "../faults/tally.js";
import { trial } from "../faults/trial.js";
import { unreachable } from "../faults/unreachable.js";
import { randomFrom, shuffled } from "../random.js";
import type { Outcome } from "../result.js";
import { conditionsOf, startRig } from "../rig.js";
import type { Scenario, Settings } from "../scenario.js";
import { UsageError } from "../usage.js";

const GROUPS: readonly FaultGroup[] = [lostResponses, badResponses, unreachable, frozenMeanwhile];

/** The function's time, in ms: more than all retries of the clients take, so that what is not settled then hangs. */
const FUNCTION_MS = 6_000;

/**
 * Each fault befalls each client some times, and the server is asked what it applied. The trials mostly wait, so
 * each client has a few instances at once, and takes its faults in an order that the seed decides.
 */
const faults: Scenario = {
  name: "faults",
  title: "Faults between a function and its Redis",
  question: "What becomes of a call when the network, the server or the platform fails it?",
  run: measure,
};

export default faults;

async function measure(settings: Settings): Promise<Outcome> {
  const trials = settings.invocations ?? (settings.quick ? 1 : 5);
  const lanesEach = settings.rounds ?? (settings.quick ? 2 : 3);
  const benchClients = settings.clients.filter((client) => client.faults);
  const clients = benchClients.flatMap((client) => client.faults!);
  if (clients.length === 0)
    throw new UsageError("None of these clients deals with faults by itself; warmline and upstash do.");
  const tallies = GROUPS.flatMap(({ title, faults }) =>
    faults.flatMap((fault) => clients.map((client) => new Tally(title, fault, client))),
  );
  const random = randomFrom(settings.seed);
  const rig = await startRig(settings);
  const lanes: ReplacedInstance[] = [];
  let done = 0;
  try {
    const step = (what: string) => settings.progress.step(done, tallies.length * trials, what);
    await Promise.all(
      clients.map((client) => {
        const own = tallies.filter((tally) => tally.client === client);
        const left = shuffled(Array(trials).fill(own).flat() as Tally[], random);
        const env = { ...client.function.env, ...rig.trust };
        const work = async () => {
          const lane = new ReplacedInstance(client.label, { ...client.function, env }, FUNCTION_MS);
          lanes.push(lane);
          for (let tally = left.pop(); tally; tally = left.pop()) {
            step(`${client.label}, ${tally.fault.title}`);
            tally.add(await trial(rig, lane, tally.fault, random));
            done++;
          }
          await lane.stop();
        };
        return Promise.all(Array.from({ length: lanesEach }, work));
      }),
    );
    const measured = tallies.map((tally) => tally.measured());
    return {
      headlines: headlinesOf(measured),
      summary: summaryOf(measured),
      checks: checksOf(measured),
      table: tableOf(measured),
      charts: chartsOf(measured),
      notes: [
        `Each fault befalls each client ${trials === 1 ? "once" : `${trials} times`}, on a path and with keys of its own, in instances that are driven as Lambda drives a function, after one command that went well.`,
        `A call that has not settled when the function's ${FUNCTION_MS / 1_000} s are up counts as hung; the instance ends then, as on Lambda.`,
        "Doubled is what the server applied beyond what was issued, read behind the gateway when the trial is over; of SET, that a repeat of it undid what another client had set meanwhile. Wrong is a call that resolved with something else than its command's value.",
        'The clients are used as their first pages show them, warmline with the invocation\'s context as its deadline besides. A write that warmline does not repeat rejects with UnknownOutcomeError where a client that repeats it resolves: that is the choice which writes: "exactly-once" spares.',
        `Frozen functions are stopped for 1.2 s between two invocations, and thaw with the next one waiting.`,
        ...(settings.rttMs > 0 ? [`The path adds a round-trip time of ${settings.rttMs} ms.`] : []),
      ],
      settings: {
        trials,
        instances: lanesEach,
        functionMs: FUNCTION_MS,
        ...conditionsOf(settings, rig, clients),
      },
      versions: versionsOf(benchClients),
      data: measured,
    };
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()));
    await rig.close();
  }
}
