import { commandsFunction } from "../client/bench-client.js";
import { count, headline, withInterval } from "../results/format.js";
import { barChart, meanColumns, tableOf } from "../results/present.js";
import { GREETING, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { mean, sum } from "../statistics/series.js";

/** Commands of the longer of two instances; their difference has no handshake in it. */
const MANY = 101;
const wayOf = ({ tls }: { readonly tls: boolean }) => (tls ? "TLS" : "plain");

/** Counts the bytes of a handshake and of a command, in both directions. */
export default defineScenario({
  name: "bytes",
  title: "Bytes on the network",
  question: "How many bytes does a handshake take, and how many a command?",
  clients: "shipped",
  fixed: ["rtt", "tls"],
  order: 13.2,
  defaults: { rounds: [5, 1] },
  cases: async ({ rig, clients, record }) => {
    const plain = await rig({ rttMs: 0, tls: false, greeting: true });
    const secure = await rig({ rttMs: 0, tls: true, greeting: true });
    record({ tls: "both", commands: MANY });
    return [false, true].flatMap((tls) =>
      clients.map((client) => ({ client, tls, rig: tls ? secure : plain })),
    );
  },
  label: ({ client, ...way }) => `${client.label}, ${wayOf(way)}`,
  group: wayOf,
  run: async ({ client, rig }) => {
    const what = commandsFunction(client, { keepAlive: true, reused: true }, rig.endpoint);
    const run = async (commands: number) => {
      const before = rig.bytes(client);
      const keys = Array.from({ length: commands }, () => "greeting");
      await runInstance(client.label, what, { events: [{ keys }], expected: GREETING, trust: rig.trust });
      const after = rig.bytes(client);
      return [after.fromClients - before.fromClients, after.fromServer - before.fromServer] as const;
    };
    const [sentOnce, receivedOnce] = await run(1);
    const [sentMany, receivedMany] = await run(MANY);
    const sent = (sentMany - sentOnce) / (MANY - 1);
    const received = (receivedMany - receivedOnce) / (MANY - 1);
    return { sent, received, sentBefore: sentOnce - sent, receivedBefore: receivedOnce - received };
  },
  report: (rows) => {
    const both = ({ sent, received }: (typeof rows)[number]) => sum(sent, received, mean);
    const before = (row: (typeof rows)[number]) => sum(row.sentBefore, row.receivedBefore, mean);
    const marks = { group: wayOf, ownScales: true };
    const bytes = (value: number) => `${count(value)} bytes`;
    return {
      headlines: rows
        .filter(({ tls }) => tls)
        .map((row) => {
          const connecting = `${withInterval(before(row), bytes)} to connect`;
          return headline(both(row), bytes, `per GET over TLS, and ${connecting}, ${row.client.label}`);
        }),
      checks: [],
      table: tableOf(rows, wayOf, [
        ["network", wayOf],
        ["client", ({ client }) => client.label],
        ...meanColumns({ sentBefore: "sent to connect", receivedBefore: "received to connect" }),
        ...meanColumns({ sent: "sent per GET", received: "received per GET" }),
      ]),
      charts: [
        barChart("Bytes per GET, both directions", "bytes", rows, { ...marks, value: both }),
        barChart("Bytes to connect, both directions", "bytes", rows, { ...marks, value: before }),
      ],
      notes: [
        `Each round starts an instance that runs one GET, and one that runs ${MANY}. Their difference is the bytes per GET; what the first has beyond that is the bytes to connect: the handshakes of TLS and of the client, such as AUTH or INFO.`,
        `The value has ${GREETING.length} bytes. The headers of TCP and IP do not count, 52 bytes per packet on Linux with IPv4.`,
        "The price of these bytes is in the scenario cost.",
      ],
    };
  },
});
