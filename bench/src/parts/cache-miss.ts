import { clientFunction } from "../client/bench-client.js";
import type { handler } from "../handlers/cache-miss.js";
import { atLeast, decidedBy, exactly } from "../results/checks.js";
import { byClient, latencyColumns, medianColumns, ms, tabulate } from "../results/present.js";
import { type Body, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { mean, ratio } from "../statistics/series.js";

const nameOf = ({ keepAlive }: { readonly keepAlive: boolean }) => `keep-alive ${keepAlive ? "on" : "off"}`;

export default defineScenario({
  name: "cache-miss",
  title: "A cache miss in a cold function",
  question: "How much does keep-alive save if a cold call reads a missing key and stores its value?",
  clients: "candidates",
  fixed: ["tls"],
  defaults: { rounds: [2, 2] },
  cases: async ({ rig, clients }) => {
    const own = await rig({ tls: true });
    return clients.flatMap((client) => [true, false].map((keepAlive) => ({ client, keepAlive, rig: own })));
  },
  label: ({ client, ...variant }) => `${client.label}, ${nameOf(variant)}`,
  run: async ({ client, keepAlive, rig }) => {
    const key = `missing:${client.name}:${keepAlive}`;
    // Clients over TCP connect to the Redis behind the gateway, so this removes their key too.
    await rig.command("DEL", key);
    const spec = clientFunction("cache-miss", client, { keepAlive, reused: true }, rig);
    const before = rig.proxyOf(client).connectionsOpened;
    const run = await runInstance(client.label, spec, { events: [{ key }] });
    const { get, set, total } = run.bodies[0] as Body<typeof handler>;
    const opened = rig.proxyOf(client).connectionsOpened - before;
    return { init: run.init, get, set, handled: total, opened };
  },
  report: (rows, { settings }) => {
    const clients = byClient(rows).map(({ rows: [on, off], ...of }) => ({ ...of, on: on!, off: off! }));
    return {
      checks: [
        ...decidedBy(clients, ({ name }) => name === "agent")("keepalive.miss", ({ label, on }) =>
          exactly(
            `${label}: GET and SET of a cold call share one connection`,
            on.opened.total === settings.rounds,
            `${on.opened.total} connections in ${settings.rounds} instances`,
          ),
        ),
        ...clients.map(({ label, on, off }) =>
          atLeast(
            `${label}: in a cold call, SET is faster over the connection of its GET`,
            ratio(off.set, on.set, mean),
            1,
            { detail: `${ms(off.set.estimate(mean).value)} and ${ms(on.set.estimate(mean).value)}` },
          ),
        ),
      ],
      ...tabulate(rows, { group: ({ client }) => client.name, charts: ["SET ms", "mean ms"] }, [
        ["client", ({ client }) => client.label],
        ["variant", nameOf],
        ["init ms", ({ init }) => init.estimate(), 1],
        ...medianColumns({ get: "GET ms", set: "SET ms" }),
        ...latencyColumns("handled"),
        ["connections", ({ opened }) => opened.total],
      ]),
      notes: [
        `Each case starts ${settings.rounds} instances with the event waiting, over TLS. The handler reads a key that does not exist, hashes a megabyte and stores the result. The client is created in the init phase.`,
        "Connections are counted at the proxy.",
      ],
    };
  },
});
