import { usable, versionsOf } from "../clients.js";
import type { LoopEvent } from "../handlers/loop.js";
import { live } from "../life.js";
import { type Peer, peerFunction } from "../peer.js";
import { barChart, curveChart, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import { type Site, startRig } from "../rig.js";
import { inRounds, shareOf } from "../rounds.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series, type Timed } from "../series.js";
import { factor, listed, ms } from "../words.js";

/** Between two commands, as in the article. */
const DELAY_MS = 10;
/** What a round trip takes within a zone and between two of them. */
const ZONES = [0.25, 1];

/**
 * Open, use, close against one connection for all, with a pause between commands. The article's code takes the time
 * until a command is issued, not until it is answered; both are measured.
 */
const ephemeral: Scenario = {
  name: "ephemeral",
  title: "A connection per command, or one for all",
  question: "Are connections lightweight?",
  clients: ["warmline", "upstash", "agent", "ioredis", "node-redis"],
  distances: true,
  order: 3,
  run: measure,
};

export default ephemeral;

interface Case extends Pick<LoopEvent, "use" | "awaited"> {
  readonly client: string;
  readonly label: string;
  readonly protocol: Peer["protocol"];
  readonly rttMs: number;
}

export type Measured = Case & Timed;

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
  const { peers, redis, notes } = usable(settings.peers);
  const rig = await startRig({ ...settings, redis });
  try {
    const cases: { series: Series<Case>; peer: Peer; site: Site }[] = [];
    for (const rttMs of rtts) {
      const site = await rig.at({ rttMs });
      for (const peer of peers) {
        const { name: client, label, protocol } = peer;
        for (const way of WAYS)
          cases.push({ series: new Series({ client, label, protocol, rttMs, ...way }), peer, site });
      }
    }
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${nameOf(of)}`,
      async ({ series, peer, site }, round) => {
        const { use, awaited } = series.of;
        const reused = use === "reuse";
        const what = peerFunction("loop", peer, { keepAlive: reused, reused }, site.endpoint);
        const event: LoopEvent = {
          use,
          awaited,
          commands: shareOf(commands, rounds, round),
          delayMs: DELAY_MS,
        };
        const options = { trust: rig.trust, timeoutMs: 120_000 };
        // The first invocation warms the function up.
        const warmUp = { ...event, commands: 5, delayMs: 0 };
        const { bodies } = await live(peer.label, what, { ...options, events: [warmUp, event] });
        series.add(bodies[1] as number[]);
      },
    );
    const measured: Measured[] = cases.map(({ series }) => ({ ...series.of, ...series.measured() }));
    return {
      ...told(measured),
      notes: [
        `Each client runs ${commands} PINGs each way, ${DELAY_MS} ms apart, in ${rounds} instances, after five that do not count. Ephemeral is making the client, the command and closing the client.`,
        "Awaited, a command's time ends with its reply (and, ephemeral, once the client is closed). As in the article it ends when the call returns: its code awaits neither the command nor the connection, so what it took for a latency is the time to make an object and to queue a command.",
        "Round trips of 0.25 and 1 ms stand for one zone and two.",
        ...notes,
      ],
      settings: {
        commands,
        rounds,
        delayMs: DELAY_MS,
        rttMs: rtts.join(", "),
        tls: settings.tls,
        engine: rig.engine,
        quick: settings.quick,
        clients: peers.map(({ name }) => name),
      },
      versions: versionsOf(peers),
      data: measured,
    };
  } finally {
    settings.progress.end();
    await rig.close();
  }
}

const nameOf = ({ use, awaited }: Pick<Case, "use" | "awaited">): string =>
  `${use}${awaited ? "" : ", not awaited"}`;
const placeOf = ({ label, rttMs }: Case): string => `${label}, ${rttMs} ms`;

const pick = (rows: readonly Measured[], like: Case, use: Case["use"], awaited: boolean): Measured =>
  rows.find(
    (row) =>
      row.client === like.client && row.rttMs === like.rttMs && row.use === use && row.awaited === awaited,
  )!;

/** Finding, figures, checks, table and charts of the numbers. */
export function told(
  rows: readonly Measured[],
): Pick<Outcome, "finding" | "figures" | "checks" | "table" | "charts"> {
  const each = rows.filter(({ use, awaited }) => use === "reuse" && awaited);
  const near = each.filter(({ rttMs }) => rttMs === each[0]!.rttMs);
  const extra = (like: Measured, awaited: boolean, of: "p50" | "p99") =>
    pick(rows, like, "ephemeral", awaited).all[of] - pick(rows, like, "reuse", awaited).all[of];
  const inWords = (awaited: boolean) =>
    listed(near.map((row) => `${ms(extra(row, awaited, "p50"))} with ${row.label}`));
  const checks: Check[] = each.map((row) => {
    const [one, anew] = [pick(rows, row, "reuse", true), pick(rows, row, "ephemeral", true)];
    return {
      claim: `${placeOf(row)}: one connection for all is faster than one per command`,
      held: anew.all.p50 > one.all.p50,
      measured: `p50 ${ms(one.all.p50)} against ${ms(anew.all.p50)}, p99 ${ms(one.all.p99)} against ${ms(anew.all.p99)}`,
    };
  });
  const held = checks.every((check) => check.held);
  return {
    finding:
      `Awaited, opening and closing a connection for each command adds, at the median and ${near[0]!.rttMs} ms away, ` +
      `${inWords(true)}. The article awaits nothing and so finds ${inWords(false)}, which says what it costs to make a ` +
      "client and not what it costs to connect: its 75 us are such a number. " +
      (held
        ? "Its direction, that reuse is faster, comes out everywhere; that connections are lightweight does not, since each costs at least the round trips of its handshake."
        : `Its direction, that reuse is faster, does not come out everywhere: missed are ${listed(checks.filter((check) => !check.held).map(({ claim }) => claim))}.`),
    figures: near.slice(0, 4).map((row) => ({
      value: factor(pick(rows, row, "ephemeral", true).all.p50 / row.all.p50),
      label: `a connection per command against one for all, ${row.label}`,
    })),
    checks,
    table: tableOf(rows, placeOf, [
      ["client", ({ label }) => label],
      ["round trip ms", ({ rttMs }) => String(rttMs), "number"],
      ["connection", ({ use }) => use],
      ["time ends", ({ awaited }) => (awaited ? "with the reply" : "when issued")],
      ["p50 ms", ({ all }) => all.p50.toFixed(3), "number"],
      ["p90 ms", ({ all }) => all.p90.toFixed(3), "number"],
      ["p99 ms", ({ all }) => all.p99.toFixed(3), "number"],
    ]),
    charts: [
      curveChart(rows, {
        title: "Latency by percentile",
        groupOf: placeOf,
        styleOf: (row) => ({ label: nameOf(row), hue: row.use === "reuse" ? 0 : 1, dashed: !row.awaited }),
        curveOf: ({ all }) => all.curve,
      }),
      barChart(
        rows.filter(({ awaited }) => awaited),
        {
          title: "The median, awaited",
          unit: "ms",
          groupOf: placeOf,
          styleOf: ({ use }) => ({ label: use, hue: use === "reuse" ? 0 : 1 }),
          valueOf: ({ all }) => all.p50,
          spread: {
            words: "from the fastest to the slowest round's median",
            of: ({ rounds }) => ({ low: rounds.min, high: rounds.max }),
          },
        },
      ),
    ],
  };
}
