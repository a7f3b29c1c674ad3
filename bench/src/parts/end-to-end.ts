import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";
import { type Certificate, type Instance, makeCertificate, startNetworkProxy } from "warmline-testbed";
import { commandsFunction } from "../client/bench-client.js";
import type { CommandsEvent } from "../handlers/commands.js";
import { atLeast, decidedBy, exactly } from "../results/checks.js";
import { byClient, latencyColumns, meanColumns, ms, tabulate, withInterval } from "../results/present.js";
import { type Defer, started } from "../rig/rig.js";
import { runPaused } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";
import { difference, mean } from "../statistics/series.js";

/** The round trip in ms between the caller and the endpoint. */
const FRONT_RTT_MS = 10;
/** The pause in s between two calls, with the instance frozen: in the article, a person sends the calls. */
const PAUSE_S = 2;

const MODES = [true, false].flatMap((frozen) =>
  [1, 10].flatMap((items) => [true, false].map((keepAlive) => ({ items, keepAlive, frozen }))),
);
const nameOf = ({ items, keepAlive, frozen }: (typeof MODES)[number]) =>
  `${items === 1 ? "one item" : `${items} items, one after another`}${keepAlive ? "" : ", keep-alive off"}${frozen ? `, after ${PAUSE_S} s frozen` : ""}`;

/** An item as it is put into a table: some attributes of a customer. */
const ITEM = JSON.stringify({
  id: "b2c1d9c8-9c43-4b0e-8d0c-3f3f2a3f6a53",
  name: "Ada Lovelace",
  email: "ada@example.com",
  address: { street: "12 St James's Square", city: "London", country: "GB" },
  orders: Array.from({ length: 5 }, (_, at) => ({ number: 1_000 + at, total: 19.9, paid: at % 2 === 0 })),
});

/**
 * Starts an HTTP endpoint in front of an instance, as an API gateway: each request is one invocation. It is reached over TLS.
 * @returns a function that sends an event over a new connection, as curl does. It returns the invocation and the time in ms until the
 * response has arrived
 */
async function startFront(instance: Instance, tls: Certificate, defer: Defer) {
  let invocation: ReturnType<Instance["invoke"]> | undefined;
  const server = createServer(async (incoming, response) => {
    invocation = instance.invoke(await json(incoming));
    // The platform thaws a frozen instance with its event waiting.
    await instance.thaw();
    const { result, error } = await invocation;
    response.writeHead(error ? 502 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(error ?? result));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  defer(() => server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await started(startNetworkProxy({ to: { port }, rttMs: FRONT_RTT_MS, tls }), defer);
  return async (event: unknown) => {
    const beganAt = performance.now();
    const body = JSON.stringify(event);
    const headers = { "Content-Length": Buffer.byteLength(body) };
    const sent = request(proxy.url, { method: "POST", agent: false, ca: tls.cert, headers }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const received = await text(response);
    const outside = performance.now() - beganAt;
    if (response.statusCode !== 200)
      throw new Error(`The endpoint responded ${response.statusCode}: ${received}\n${instance.output}`);
    return { ...(await invocation!), outside };
  };
}

export default defineScenario({
  name: "end-to-end",
  title: "A write seen from outside",
  question: "How much of what keep-alive saves in a function is seen by the caller of its endpoint?",
  defaults: { rounds: [1, 1], invocations: [6, 4] },
  cases: async ({ rig, clients, record }) => {
    const own = await rig();
    const certificate = makeCertificate();
    record({ frontRttMs: FRONT_RTT_MS, itemBytes: ITEM.length });
    return clients.flatMap((client) => MODES.map((mode) => ({ client, ...mode, rig: own, certificate })));
  },
  label: ({ client, ...mode }) => `${client.label}, ${nameOf(mode)}`,
  lanes: 12,
  durationS: ({ frozen }, { invocations }) => (frozen ? PAUSE_S * invocations : 0),
  run: async ({ client, items, keepAlive, frozen, rig, certificate }, { settings, defer }) => {
    const site = await rig.at({}, defer);
    const spec = commandsFunction(client, { keepAlive, reused: true }, site);
    const keys = Array.from({ length: items }, (_, at) => `item:${at}`);
    const event: CommandsEvent = { keys, command: "set", value: ITEM };
    const outside: number[] = [];
    let before = 0;
    let front: Awaited<ReturnType<typeof startFront>> | undefined;
    const { latencies } = await runPaused(spec, event, {
      ...{ calls: settings.invocations, pauseMs: frozen ? PAUSE_S * 1_000 : 0, frozen },
      invoke: async (instance) => {
        front ??= await startFront(instance, certificate, defer);
        const called = await front(event);
        outside.push(called.outside);
        return called;
      },
      onWarm: () => {
        before = site.proxyOf(client).connectionsOpened;
        outside.length = 0;
      },
    });
    return { inside: latencies, outside, opened: site.proxyOf(client).connectionsOpened - before };
  },
  report: (rows, { settings }) => {
    // The rows of a client are in the order of MODES.
    const clients = byClient(rows).map(({ name, label, rows: own }) => {
      const [oneOn, , tenOn, tenOff, , , nextOn, nextOff] = own;
      const saved = difference(tenOff!.outside, tenOn!.outside, mean);
      const backToBack = difference(nextOff!.outside, nextOn!.outside, mean);
      return { name, label, oneOn: oneOn!, tenOn: tenOn!, tenOff: tenOff!, saved, backToBack };
    });
    // The article's SDK sends each write through Node's own agent.
    const decide = decidedBy(clients, ({ name }) => name === "agent");
    return {
      checks: [
        ...decide("lambda.endToEnd", ({ label, tenOn, tenOff, saved, backToBack }) =>
          atLeast(`${label}: the caller of ten puts saves time by keep-alive, on average`, saved, 0, {
            detail: `${ms(difference(tenOff.inside, tenOn.inside, mean).value)} in the function; the caller waits ${ms(tenOn.outside.estimate(mean).value)} with it`,
            beside: `back to back ${withInterval(backToBack, ms)}`,
            text: ms,
          }),
        ),
        ...decide("lambda.across", ({ label, oneOn, tenOn }) =>
          exactly(
            `${label}: later invocations open no connection`,
            oneOn.opened.total + tenOn.opened.total === 0,
            `${oneOn.opened.total + tenOn.opened.total} in ${2 * settings.rounds * settings.invocations} invocations`,
          ),
        ),
      ],
      ...tabulate(rows, { group: ({ client }) => client.name, charts: ["inside mean ms", "mean ms"] }, [
        ["client", ({ client }) => client.label],
        ["invocation", nameOf],
        ...meanColumns({ inside: "inside mean ms" }, 2),
        ...latencyColumns("outside"),
        ["later connections", ({ opened }) => opened.total],
      ]),
      notes: [
        `The function puts an item of ${ITEM.length} bytes, or ten. An HTTP endpoint in front of it turns each request into an invocation. The caller is ${FRONT_RTT_MS} ms away and opens a connection with TLS for each request, as curl does.`,
        `${settings.invocations} calls in each of ${settings.rounds} instances, after three that do not count, with the instance frozen for ${PAUSE_S} s between two, and back to back. The client is created outside the handler.`,
      ],
    };
  },
});
