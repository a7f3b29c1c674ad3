import { setTimeout as pause } from "node:timers/promises";
import type { Instance } from "warmline-testbed";
import { type BenchClient, commandsFunction, type Variant } from "../client/bench-client.js";
import { frozenSentence, recreatedSentence, SAME_SPEED, savedSentence } from "../keepalive/sentences.js";
import distance from "../parts/distance.js";
import { atLeast, atMost, decidedBy, exactly } from "../results/checks.js";
import { byClient, factor, linesOf, ms, preciseFactor, tabulate, withInterval } from "../results/present.js";
import type { Defer, Rig } from "../rig/rig.js";
import { beginInstance, GREETING } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { difference, mean, median, ratio } from "../statistics/series.js";
import { Gate } from "../util/gate.js";

const VARIANTS: readonly Variant[] = [true, false].flatMap((keepAlive) =>
  [true, false].map((reused) => ({ keepAlive, reused })),
);
const nameOf = ({ keepAlive, reused }: Variant) =>
  `keep-alive ${keepAlive ? "on" : "off"}, ${reused ? "reused" : "recreated"}`;

const FROZEN_MS = 1_500;
/** The time in ms after which a command of a thawed instance is lost if it has no reply. */
const LOST_AFTER_MS = 2_000;
/** The function's timeout in ms. A busy machine delays calls that are not lost. */
const TIMEOUT_MS = 30_000;
/** The time in ms after which a thawed instance without a reply counts as waiting, so that others may run. */
const WAITS_MS = 250;
const CHART = { title: "Latency of each call, in the first process", unit: "ms", along: "calls" };
/** Pairs of a command with the kept client and one with a new client. */
const PAIRS = 210;

interface KeepaliveSample {
  readonly init: number;
  readonly first: number;
  readonly warm: readonly number[];
  readonly opened: number;
  /** How many times as long a command takes with a new client as with the kept one: median of pairs. */
  readonly recreatedRatio?: number;
  /** The first command after a freeze in which the network dropped the connection: its time, or none and a lost command. */
  readonly thawed?: readonly number[];
  readonly lost?: number;
}

/** While one instance starts or runs, all others of this process are frozen, wait for a reply or have not started. */
const alone = new Gate(1);

/**
 * Runs an instance over connections of its own: a cold invocation and warm ones. Where client and connections are kept, this
 * project's client then runs the pairs, and each instance is frozen while the network drops its connections.
 */
async function measure(
  { client, rig, ...variant }: Variant & { readonly client: BenchClient; readonly rig: Rig },
  invocations: number,
  defer: Defer,
): Promise<KeepaliveSample> {
  const site = await rig.at({}, defer);
  const kept = variant.keepAlive && variant.reused;
  const paired = kept && client.name === "warmline";
  const events = [...Array<object>(invocations).fill({}), ...(paired ? [{ pairs: PAIRS }] : [])];
  const { instance, sample } = await alone.run(async () => {
    const spec = commandsFunction(client, variant, site);
    const { instance, run } = await beginInstance(client.label, spec, { events, timeoutMs: TIMEOUT_MS });
    defer(() => instance.stop());
    const { init, first, warm, bodies } = run;
    if (bodies.slice(0, invocations).some((body) => body !== GREETING))
      throw new Error(`${client.label}: a GET returned another value than the stored one.`);
    if (kept) {
      await instance.freeze();
      for (const proxy of site.proxies) proxy.blackholeAll();
    }
    const opened = site.proxyOf(client).connectionsOpened;
    const recreatedRatio = paired && { recreatedRatio: median(bodies.at(-1) as number[]) };
    const counted = warm.slice(0, invocations - 1);
    return { instance, sample: { init, first, warm: counted, opened, ...recreatedRatio } };
  });
  if (!kept) return sample;
  await pause(FROZEN_MS);
  return { ...sample, ...(await thaw(instance)) };
}

async function thaw(instance: Instance): Promise<Required<Pick<KeepaliveSample, "thawed" | "lost">>> {
  let invocation: ReturnType<Instance["invoke"]> | undefined;
  await alone.run(async () => {
    invocation = instance.invoke({});
    await instance.thaw();
    await Promise.race([invocation, pause(WAITS_MS, undefined, { ref: false })]);
  }, true);
  const ended = await Promise.race([invocation, pause(LOST_AFTER_MS - WAITS_MS, undefined, { ref: false })]);
  return ended && !ended.error ? { thawed: [ended.durationMs], lost: 0 } : { thawed: [], lost: 1 };
}

export default defineScenario({
  name: "keepalive",
  title: "Keep-alive in serverless functions",
  question: "How much faster is a kept connection, and does it matter where the client is created?",
  fixed: ["tls"],
  // An instance that is frozen lets others run.
  lanes: 3,
  parts: [distance],
  defaults: { rounds: [5, 5], invocations: [40, 16] },
  totalS: ({ settings: { rounds, invocations, rttMs }, clients }) => {
    const instanceS = 0.2 + (invocations * (6 + 2 * rttMs)) / 1_000;
    const pairsS = (PAIRS * 2 * (1.6 + rttMs)) / 1_000;
    return Math.ceil(4 + rounds * (clients.length * VARIANTS.length * instanceS + pairsS));
  },
  cases: async ({ rig, clients }) => {
    // The article calls an HTTPS endpoint.
    const own = await rig({ tls: true, greeting: true });
    return clients.flatMap((client) => VARIANTS.map((variant) => ({ client, ...variant, rig: own })));
  },
  group: ({ client }) => client.name,
  label: ({ client, ...variant }) => `${client.label}, ${nameOf(variant)}`,
  run: (each, { settings, defer }) => measure(each, settings.invocations, defer),
  report: (rows, { settings }) => {
    const { invocations, rounds } = settings;
    // The rows of a client are in the order of VARIANTS.
    const clients = byClient(rows).map(({ rows: own, ...of }) => {
      const [on, recreated, off] = own;
      return { ...of, client: on!.client, on: on!, recreated: recreated!, off: off!, all: own };
    });
    // The article uses a bare agent.
    const decide = decidedBy(clients, ({ name }) => name === "agent");
    type Own = (typeof rows)[number];
    const openedOf = ({ opened }: Own) => `${opened.total} connections in ${rounds} processes`;
    const opensPerCall = ({ opened }: Own) => opened.total === rounds * invocations;
    const own = clients.find(({ name }) => name === "warmline");
    const points = ({ first, warm }: Own) =>
      [...first.rounds[0]!, ...warm.rounds[0]!].map((value, at) => [at + 1, value] as const);
    const thawed = clients.flatMap(({ label, on: { lost, thawed } }) =>
      lost && thawed ? [{ label, commands: rounds, lost: lost.total, ms: thawed.estimate() }] : [],
    );
    return {
      sentences: own && [
        savedSentence(difference(own.off.warm, own.on.warm), ratio(own.off.warm, own.on.warm)),
        recreatedSentence(own.on.recreatedRatio!.estimate(), own.recreated.opened.max),
        frozenSentence(thawed.find(({ label }) => label === own.label)!, thawed),
      ],
      checks: [
        ...decide("keepalive.first", ({ label, on }) =>
          atLeast(
            `${label}: the first call of a process takes longer than a later one, at the median`,
            ratio(on.first, on.warm),
            1,
            { detail: `${ms(on.first.estimate().value)}, later ${ms(on.warm.estimate().value)}` },
          ),
        ),
        ...decide("keepalive.reuse", ({ label, on, off }) =>
          atLeast(
            `${label}: a kept connection is faster than a new one, at the median`,
            ratio(off.warm, on.warm),
            1,
            { beside: `on average ${withInterval(ratio(off.warm, on.warm, mean), factor)}` },
          ),
        ),
        ...decide("keepalive.recreated", ({ label, recreated: row }) =>
          exactly(`${label}: a recreated client loses the connection`, opensPerCall(row), openedOf(row)),
        ),
        ...clients.map(({ label, all, off }) =>
          exactly(
            `${label} with keep-alive off opens a connection for each call`,
            all.every((row) => row.keepAlive || opensPerCall(row)),
            `${off.opened.total} of ${rounds * invocations}`,
          ),
        ),
        ...(own
          ? [
              exactly(
                "warmline recreated opens one connection per process",
                own.recreated.opened.max === 1,
                openedOf(own.recreated),
              ),
              atMost(
                "warmline recreated is at most 5% slower than reused",
                own.on.recreatedRatio!.estimate(),
                SAME_SPEED,
                { text: preciseFactor },
              ),
              exactly(
                "warmline loses no command after a freeze in which the network dropped the connection",
                own.on.lost!.total === 0,
                `${own.on.lost!.total} of ${rounds}`,
              ),
            ]
          : []),
      ],
      terms: [
        "keep-alive: on, the connection is kept for the next command; off, each command opens one.",
        "reused: the client is created once, outside the function's handler; recreated: in every call.",
        `cold: the first call of a new process; warm: the median of its next ${invocations - 1} calls.`,
        `(a to b): the 95% interval over ${rounds} processes. With five it is their whole range, which covers 94%.`,
        "connections: the largest number that one process opened.",
        "bare agent: Node's https.Agent with a request written by hand, without a client library.",
      ],
      ...tabulate(rows, { group: ({ client }) => client.name }, [
        ["client", ({ client }) => client.label],
        ["keep-alive", ({ keepAlive }) => (keepAlive ? "on" : "off")],
        ["client is", ({ reused }) => (reused ? "reused" : "recreated")],
        ["cold ms", ({ first }) => first.estimate(), 1],
        ["warm ms", ({ warm }) => warm.estimate(), 1],
        ["connections", ({ opened }) => opened.max],
      ]),
      charts: [linesOf(rows, { ...CHART, label: ({ client }) => client.label, points, group: nameOf })],
      notes: [
        `Each client runs ${invocations} calls of one GET per variant in each of ${rounds} processes, over TLS. A latency is the handler's total time, creating the client included if the variant does so. The first call of a process is not among the warm ones. Ratios and differences are taken by round, and the middle one is shown.`,
        `Whether a recreated client is slower than a reused one is decided by pairs in one process: ${PAIRS} times one GET on each, in turn. Shown is the median of pairs, over ${rounds} processes.`,
        `The freeze: a process of each client is stopped for ${FROZEN_MS / 1_000} s, while the network drops its connections without telling either side, as a NAT gateway or a load balancer does with idle ones. It thaws with the next call waiting. A command without a reply after ${LOST_AFTER_MS / 1_000} s is lost. Clients run with the settings that they ship with.`,
        "Connections are counted at the proxy, which adds the round-trip time to handshakes too. The testbed's runtime has loaded node:http before the init phase, which favours the bare agent; in the scenario cold nothing is loaded.",
      ],
    };
  },
});
