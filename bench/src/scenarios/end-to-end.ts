import { makeCertificate, startInstance } from "warmline-testbed";
import { commandsFunction, handlerPath } from "../bench-client.js";
import { atLeast, claimOf, exactly } from "../checks.js";
import { decideClaim } from "../decide-claim.js";
import { ms, withInterval } from "../format.js";
import { ITEM, startFront } from "../front.js";
import type { CommandsEvent } from "../handlers/commands.js";
import { barChart, byClient, latencyColumns, tableOf } from "../present.js";
import type { Check, Claim } from "../result.js";
import { defineScenario } from "../scenario.js";
import { difference, mean } from "../series.js";

/** The round trip in ms between the caller and the endpoint. */
const FRONT_RTT_MS = 10;
const MODES = [1, 10].flatMap((items) => [true, false].map((keepAlive) => ({ items, keepAlive })));
const nameOf = ({ items, keepAlive }: (typeof MODES)[number]) =>
  `${items === 1 ? "one item" : `${items} items, one after another`}${keepAlive ? "" : ", keep-alive off"}`;

/** Puts one item and ten in a function behind an endpoint, and times them inside and from outside. */
export default defineScenario({
  name: "end-to-end",
  title: "A write seen from outside",
  question: "How much of what keep-alive saves in a function is seen by the caller of its endpoint?",
  clients: ["warmline", "upstash", "agent"],
  order: 4.5,
  defaults: { rounds: [5, 1], invocations: [15, 4] },
  cases: async ({ rig, clients, defer, record }) => {
    const own = await rig();
    const certificate = makeCertificate();
    defer(() => certificate.remove());
    record({ frontRttMs: FRONT_RTT_MS, itemBytes: ITEM.length });
    return clients.flatMap((client) => MODES.map((mode) => ({ client, ...mode, rig: own, certificate })));
  },
  label: ({ client, ...mode }) => `${client.label}, ${nameOf(mode)}`,
  group: ({ client }) => client.name,
  run: async ({ client, items, keepAlive, rig, certificate }, { settings }) => {
    const { handler, env } = commandsFunction(client, { keepAlive, reused: true }, rig.endpoint);
    const instance = await startInstance({ handler: handlerPath(handler), env: { ...env, ...rig.trust } });
    const front = await startFront(instance, FRONT_RTT_MS, certificate);
    const keys = Array.from({ length: items }, (_, at) => `item:${at}`);
    const event: CommandsEvent = { keys, command: "set", value: ITEM };
    try {
      // The first call does not count: it connects.
      await front.call(event);
      const before = rig.connectionsOpened(client);
      const calls = [];
      for (let n = 0; n < settings.invocations; n++) calls.push(await front.call(event));
      return {
        inside: calls.map((call) => call.inside),
        outside: calls.map((call) => call.outside),
        opened: rig.connectionsOpened(client) - before,
      };
    } finally {
      await front.close();
      await instance.stop();
    }
  },
  report: (rows, { settings }) => {
    // The order of MODES.
    const clients = byClient(rows).map(({ name, label, rows: own }) => {
      const [oneOn, oneOff, tenOn, tenOff] = own;
      return { name, label, oneOn: oneOn!, oneOff: oneOff!, tenOn: tenOn!, tenOff: tenOff! };
    });
    // The article's SDK sends each write through Node's own agent.
    const decide = (claim: Claim, check: (client: (typeof clients)[number]) => Check) =>
      decideClaim(claim, clients, (client) => client.name === "agent", check);
    const names = MODES.map(nameOf);
    const style = (row: (typeof rows)[number]) => ({ label: nameOf(row), hue: names.indexOf(nameOf(row)) });
    return {
      headlines: clients.map(({ label, tenOn, tenOff }) => ({
        value: withInterval(difference(tenOff.outside, tenOn.outside, mean), ms),
        label: `saved for the caller of ten puts, ${label}`,
      })),
      checks: [
        ...decide(claimOf("lambda", "endToEnd"), ({ label, tenOn, tenOff }) =>
          atLeast(
            `${label}: the caller of ten puts saves time by keep-alive, on average`,
            difference(tenOff.outside, tenOn.outside, mean),
            0,
            {
              detail: `${ms(difference(tenOff.inside, tenOn.inside, mean).value)} in the function; the caller waits ${ms(tenOn.outside.estimate(mean).value)} with it`,
              text: ms,
            },
          ),
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
        ["inside mean ms", ({ inside }) => inside.estimate(mean)],
        ...latencyColumns("outside"),
        ["later connections", ({ opened }) => opened.total],
      ]),
      charts: [
        barChart("An invocation's mean time, seen from outside", "ms", rows, {
          group: ({ client }) => client.label,
          style,
          value: ({ outside }) => outside.estimate(mean),
        }),
        barChart("An invocation's mean time in the function", "ms", rows, {
          group: ({ client }) => client.label,
          style,
          value: ({ inside }) => inside.estimate(mean),
        }),
      ],
      notes: [
        `The function puts an item of ${ITEM.length} bytes, or ten. An HTTP endpoint in front of it turns each request into an invocation. The caller is ${FRONT_RTT_MS} ms away and opens a connection with TLS for each request, as curl does.`,
        `${settings.invocations} calls in each of ${settings.rounds} instances, after one that does not count. The client is created outside the handler.`,
      ],
    };
  },
});
