import { makeCertificate } from "warmline-testbed";
import { commandsFunction } from "../client/bench-client.js";
import { ITEM, startFront } from "../end-to-end/front.js";
import type { CommandsEvent } from "../handlers/commands.js";
import { atLeast, claimOf, decideClaim, exactly } from "../results/checks.js";
import { ms, withInterval } from "../results/format.js";
import { byClient, chartsOf, latencyColumns, meanColumns, tableOf } from "../results/present.js";
import type { Check, Claim } from "../results/result.js";
import { runPaused } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";
import { difference, mean } from "../statistics/series.js";

/** The round trip in ms between the caller and the endpoint. */
const FRONT_RTT_MS = 10;
/** The pause between two calls in s, in which the instance is frozen: the article's are sent by a person. */
const PAUSE_S = 2;

const MODES = [true, false].flatMap((frozen) =>
  [1, 10].flatMap((items) => [true, false].map((keepAlive) => ({ items, keepAlive, frozen }))),
);
const nameOf = ({ items, keepAlive, frozen }: (typeof MODES)[number]) =>
  `${items === 1 ? "one item" : `${items} items, one after another`}${keepAlive ? "" : ", keep-alive off"}${frozen ? `, after ${PAUSE_S} s frozen` : ""}`;

/** Puts one item and ten in a function behind an endpoint, and times them inside and from outside. */
export default defineScenario({
  name: "end-to-end",
  title: "A write seen from outside",
  question: "How much of what keep-alive saves in a function is seen by the caller of its endpoint?",
  defaults: { rounds: [1, 1], invocations: [6, 4] },
  cases: async ({ rig, clients, defer, record }) => {
    const own = await rig();
    const certificate = makeCertificate();
    defer(() => certificate.remove());
    record({ frontRttMs: FRONT_RTT_MS, itemBytes: ITEM.length });
    return clients.flatMap((client) => MODES.map((mode) => ({ client, ...mode, rig: own, certificate })));
  },
  label: ({ client, ...mode }) => `${client.label}, ${nameOf(mode)}`,
  lanes: 12,
  durationS: ({ frozen }, { invocations }) => (frozen ? PAUSE_S * invocations : 0),
  run: async ({ client, items, keepAlive, frozen, rig, certificate }, { settings }) => {
    const site = await rig.at({});
    const what = commandsFunction(client, { keepAlive, reused: true }, site.endpoint);
    const keys = Array.from({ length: items }, (_, at) => `item:${at}`);
    const event: CommandsEvent = { keys, command: "set", value: ITEM };
    const outside: number[] = [];
    let before = 0;
    try {
      const { latencies } = await runPaused(what, rig.trust, event, {
        ...{ calls: settings.invocations, pauseMs: frozen ? PAUSE_S * 1_000 : 0, frozen },
        through: async (instance) => {
          const front = await startFront(instance, FRONT_RTT_MS, certificate);
          const call = async () => {
            const called = await front.call(event);
            outside.push(called.outside);
            return called;
          };
          return { call, close: front.close };
        },
        onWarm: () => {
          before = site.connectionsOpened(client);
          outside.length = 0;
        },
      });
      return { inside: latencies, outside, opened: site.connectionsOpened(client) - before };
    } finally {
      await site.close();
    }
  },
  report: (rows, { settings }) => {
    // The order of MODES.
    const clients = byClient(rows).flatMap(({ name, label, rows: own }) => {
      const [oneOn, , tenOn, tenOff, , , nextOn, nextOff] = own;
      if (!nextOff) return [];
      const saved = difference(tenOff!.outside, tenOn!.outside, mean);
      const backToBack = difference(nextOff.outside, nextOn!.outside, mean);
      return [{ name, label, oneOn: oneOn!, tenOn: tenOn!, tenOff: tenOff!, saved, backToBack }];
    });
    // The article's SDK sends each write through Node's own agent.
    const decide = (claim: Claim, check: (client: (typeof clients)[number]) => Check) =>
      decideClaim(claim, clients, (client) => client.name === "agent", check);
    const names = MODES.map(nameOf);
    return {
      checks: [
        ...decide(claimOf("lambda", "endToEnd"), ({ label, tenOn, tenOff, saved, backToBack }) =>
          atLeast(`${label}: the caller of ten puts saves time by keep-alive, on average`, saved, 0, {
            detail: `${ms(difference(tenOff.inside, tenOn.inside, mean).value)} in the function; the caller waits ${ms(tenOn.outside.estimate(mean).value)} with it`,
            beside: `back to back ${withInterval(backToBack, ms)}`,
            text: ms,
          }),
        ),
        ...decide(claimOf("lambda", "across"), ({ label, oneOn, tenOn }) =>
          exactly(
            `${label}: later invocations open no connection`,
            oneOn.opened.total + tenOn.opened.total === 0,
            `${oneOn.opened.total + tenOn.opened.total} in ${2 * settings.rounds * settings.invocations} invocations`,
          ),
        ),
      ],
      table: tableOf(rows, ({ client }) => client.name, [
        ["client", ({ client }) => client.label],
        ["invocation", nameOf],
        ...meanColumns({ inside: "inside mean ms" }, 2),
        ...latencyColumns("outside"),
        ["later connections", ({ opened }) => opened.total],
      ]),
      charts: chartsOf(rows, {
        group: ({ client }) => client.label,
        style: (row) => ({ label: nameOf(row), hue: names.indexOf(nameOf(row)) }),
        bars: [
          ["An invocation's mean time, seen from outside", "ms", ({ outside }) => outside.estimate(mean)],
          ["An invocation's mean time in the function", "ms", ({ inside }) => inside.estimate(mean)],
        ],
      }),
      notes: [
        `The function puts an item of ${ITEM.length} bytes, or ten. An HTTP endpoint in front of it turns each request into an invocation. The caller is ${FRONT_RTT_MS} ms away and opens a connection with TLS for each request, as curl does.`,
        `${settings.invocations} calls in each of ${settings.rounds} instances, after three that do not count, with the instance frozen for ${PAUSE_S} s between two, and back to back. The client is created outside the handler.`,
      ],
    };
  },
});
