import { versionsOf } from "../available-clients.js";
import { badResponses } from "../faults/bad-responses.js";
import type { FaultGroup } from "../faults/fault.js";
import { frozenMeanwhile } from "../faults/frozen.js";
import { lostResponses } from "../faults/lost-responses.js";
import { chartsOf, tableOf } from "../faults/present.js";
import { ReplacedInstance } from "../faults/replaced-instance.js";
import { checksOf, headlinesOf, summaryOf } from "../faults/summary.js";
import { Tally } from "../faults/tally.js";
import { trial } from "../faults/trial.js";
import { unreachable } from "../faults/unreachable.js";
import { randomFrom, shuffled } from "../random.js";
import type { Outcome } from "../result.js";
import { conditionsOf, startRig } from "../rig.js";
import type { Scenario, Settings } from "../scenario.js";
import { UsageError } from "../usage.js";

const GROUPS: readonly FaultGroup[] = [lostResponses, badResponses, unreachable, frozenMeanwhile];

/** The function's timeout in ms. It exceeds all retries of the clients, so a call that has not settled by then hangs. */
const FUNCTION_MS = 6_000;

/**
 * Applies each fault to each client several times and reads from the server which commands were applied. Trials mostly
 * wait, so each client runs a few instances at once. The seed determines the order of the faults.
 */
const faults: Scenario = {
  name: "faults",
  title: "Faults between a function and its Redis",
  question: "What happens to a call when the network, the server or the platform fails?",
  run: measure,
};

export default faults;

async function measure(settings: Settings): Promise<Outcome> {
  const trials = settings.invocations ?? (settings.quick ? 1 : 5);
  const instancesEach = settings.rounds ?? (settings.quick ? 2 : 3);
  const benchClients = settings.clients.filter((client) => client.faults);
  const clients = benchClients.flatMap((client) => client.faults!);
  if (clients.length === 0)
    throw new UsageError("--clients must name a client that handles faults: warmline or upstash.");
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
        return Promise.all(Array.from({ length: instancesEach }, work));
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
        `Each fault is applied to each client ${trials === 1 ? "once" : `${trials} times`}, through a proxy and with keys of its own. Instances run as Lambda runs a function. Each trial starts after one successful command.`,
        `A call that has not settled when the function times out (${FUNCTION_MS / 1_000} s) counts as hung. The instance then ends, as on Lambda.`,
        "Duplicates are writes that the server applied more often than they were issued, read behind the gateway after the trial. A duplicate SET is one whose repeat overwrote a newer value of another client. Wrong is a call that resolved with a value that is not its command's.",
        'The clients run with their defaults, warmline with the invocation\'s context as its deadline. If the outcome of a write is unknown, warmline rejects with UnknownOutcomeError, and a client that repeats the write resolves. With writes: "exactly-once" warmline resolves too, and applies the write once.',
        `Frozen functions are stopped for 1.2 s between two invocations and thawed with the next one waiting.`,
        ...(settings.rttMs > 0 ? [`The proxy adds a round-trip time of ${settings.rttMs} ms.`] : []),
      ],
      settings: {
        trials,
        instances: instancesEach,
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
