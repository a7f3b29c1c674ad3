import { idleReaper, type NetworkProxy } from "warmline-testbed";
import { availableClients, versionsOf } from "../available-clients.js";
import { type BenchClient, clientFunction, type FaultClient, ownHandler } from "../bench-client.js";
import type { Call, CallResult } from "../faults/calls.js";
import { judge, type Verdict } from "../faults/judge.js";
import { ReplacedInstance } from "../faults/replaced-instance.js";
import { randomFrom, shuffled } from "../random.js";
import type { Outcome } from "../result.js";
import { conditionsOf, type Rig, startRig } from "../rig.js";
import type { Scenario, Settings } from "../scenario.js";
import { buildReport, type Measurement } from "../zombie/report.js";

/** The timeline in s: the server's idle limits, the length of the freeze, the lifetime of an idle instance. */
const LIMITS_S = [60, 310];
const IDLE_S = [30, 75, 95, 270, 400];
const LIFETIME_S = 300;
/** Factor of the idle limit after which bytes on a closed connection get no reset any more. */
const GONE_AFTER = 1.5;
/** The function's timeout in ms of real time. */
const FUNCTION_MS = 6_000;

/** Invokes a function, freezes it, and invokes it again on a connection that may have died. */
const zombie: Scenario = {
  name: "zombie",
  title: "Dead connections after a freeze",
  question: "What happens to the first call after a freeze if the server has dropped the idle connection?",
  clients: "all",
  order: 6,
  run: measure,
};

export default zombie;

interface Trial {
  readonly client: FaultClient;
  /** Whether the client leaves dead connections to its user. */
  readonly naive: boolean;
  readonly limitS: number;
  readonly idleS: number;
}

async function measure(settings: Settings): Promise<Outcome> {
  const speedup = settings.speedup ?? 30;
  const trials = settings.invocations ?? (settings.quick ? 1 : 5);
  const instancesEach = settings.rounds ?? 3;
  const { clients, redis, notes } = availableClients(settings.clients);
  const rig = await startRig({ ...settings, redis });
  const random = randomFrom(settings.seed);
  const verdicts = new Map<Trial, Verdict[]>();
  const work: Promise<void>[] = [];
  let done = 0;
  let number = 0;
  try {
    for (const benchClient of clients) {
      for (const client of benchClient.faults ?? [plainClient(benchClient, rig)]) {
        const naive = benchClient.faults === undefined;
        const cases = LIMITS_S.flatMap((limitS) => IDLE_S.map((idleS) => ({ client, naive, limitS, idleS })));
        for (const each of cases) verdicts.set(each, []);
        const left = shuffled(Array(trials).fill(cases).flat() as Trial[], random);
        const drive = async () => {
          for (let each = left.pop(); each; each = left.pop()) {
            const verdict = await runTrial(rig, each, `zombie:${++number}`, speedup);
            verdicts.get(each)!.push(verdict);
            settings.progress.step(++done, verdicts.size * trials, `${client.label}, idle ${each.idleS} s`);
          }
        };
        for (let lane = 0; lane < instancesEach; lane++) work.push(drive());
      }
    }
    await Promise.all(work);
    const measured = [...verdicts].map(([trial, own]) => measuredOf(trial, own));
    measured.sort((a, b) => a.limitS - b.limitS || a.idleS - b.idleS);
    return {
      ...buildReport(measured, LIFETIME_S),
      notes: [
        `The timeline runs ${speedup} times faster than real time (--speedup). The clients' own timeouts and the function's timeout of ${FUNCTION_MS / 1_000} s are not scaled.`,
        "A function is invoked, frozen, and invoked again after the idle time, each time with one INCR. After its lifetime the instance is gone and a new one runs the invocation.",
        `The server closes connections that reach its idle limit. The FIN does not reach the frozen function. Until ${GONE_AFTER} times the limit its bytes get a reset, after that no reaction at all.`,
        "A call that has not settled when the function times out counts as hung. Duplicates are counted at the server.",
        ...notes,
      ],
      settings: {
        speedup,
        trials,
        limitsS: LIMITS_S,
        idleS: IDLE_S,
        lifetimeS: LIFETIME_S,
        ...conditionsOf(settings, rig, clients),
      },
      versions: versionsOf(clients),
      data: measured,
    };
  } finally {
    await Promise.allSettled(work);
    await rig.close();
  }
}

/** Returns a client that leaves dead connections to its user. */
function plainClient(client: BenchClient, rig: Rig): FaultClient {
  const { env } = clientFunction("faults-client", client, { keepAlive: true, reused: true }, rig.endpoint);
  return { name: client.name, label: client.label, function: { handler: ownHandler("faults-client"), env } };
}

/** Invokes a function, freezes it, invokes it again; returns the verdict on the second call. */
async function runTrial(rig: Rig, trial: Trial, key: string, speedup: number): Promise<Verdict> {
  const { client, limitS, idleS } = trial;
  const closeMs = (limitS * 1_000) / speedup;
  const reap = (proxy: NetworkProxy) =>
    proxy.onConnection(() => idleReaper({ closeMs, goneMs: closeMs * GONE_AFTER, fin: "lost" }));
  const site = await rig.at({});
  for (const proxy of site.proxies) reap(proxy);
  const what = { ...client.function, env: { ...client.function.env, ...rig.trust } };
  const lanes = [new ReplacedInstance(client.label, what, FUNCTION_MS)];
  const event = (call: Call) => ({ ...site.endpoint, turns: [[call]] });
  const first: Call = { command: "incr", key: `${key};first` };
  const second: Call = { command: "incr", key: `${key};second` };
  try {
    const before = await lanes[0]!.invoke(event(first));
    if (before?.[0]?.value !== 1)
      throw new Error(`${client.label}: the first call failed\n${lanes[0]!.output}`);
    let settled: CallResult[] | undefined;
    if (idleS > LIFETIME_S) {
      await lanes[0]!.stop();
      lanes.push(new ReplacedInstance(client.label, what, FUNCTION_MS));
      settled = await lanes[1]!.invoke(event(second));
    } else settled = await lanes[0]!.invokeFrozen(event(second), (idleS * 1_000) / speedup, () => {});
    const found = await rig.command("GET", second.key);
    return judge(second, settled?.[0], found, FUNCTION_MS);
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()));
    await site.close();
  }
}

function measuredOf({ client, naive, limitS, idleS }: Trial, verdicts: readonly Verdict[]): Measurement {
  const ended = (ending: Verdict["ending"]) => verdicts.filter((verdict) => verdict.ending === ending).length;
  return {
    client: client.name,
    label: client.label,
    naive,
    limitS,
    idleS,
    calls: verdicts.length,
    resolved: ended("resolved"),
    failed: ended("failed"),
    hung: ended("hung"),
    wrong: verdicts.filter(({ wrong }) => wrong).length,
    doubled: verdicts.reduce((sum, { doubled }) => sum + doubled, 0),
    longestMs: Math.max(...verdicts.map(({ ms }) => ms)),
  };
}
