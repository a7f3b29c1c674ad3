import { findRedisServer, NO_REDIS } from "warmline-testbed";
import { coldStart } from "../perf/cold.js";
import { connectionsAtRedis } from "../perf/connections.js";
import { throughputOf, WorkerSession, warmUpNotes } from "../perf/session.js";
import { fixedServerNotes, startFixedSites } from "../perf/site.js";
import { linesOf, sizeLines } from "../perf/target-lines.js";
import { isNeeded, measuresOf, NOT_MEASURED, OWN_MEASURES, targetsOf } from "../perf/targets.js";
import { barChart, tableOf } from "../results/present.js";
import { defineScenario } from "../scenario.js";

/** Measures every target for speed, size and memory: the limit, the measurement, and whether it is met. */
export default defineScenario({
  name: "targets",
  title: "Performance targets",
  question: "Does the client meet its targets for speed, size and memory?",
  clients: "all",
  nodes: true,
  fixed: ["rtt", "tls", "engine"],
  order: 12,
  ownServer: true,
  defaults: { rounds: [9, 1], seconds: [0.12, 0.02] },
  cases: async (context) => {
    const { clients, settings, record, rig } = context;
    const hasRedis = findRedisServer() !== undefined;
    const real = hasRedis ? await rig({ rttMs: 0, tls: false, redis: true }) : undefined;
    const { nodes, sites } = await startFixedSites(context, 2);
    record({ tls: false });
    const measures = measuresOf(settings.seconds * 1_000, settings.quick);
    const targets = targetsOf(clients);
    const session = new WorkerSession();
    const cases = nodes.flatMap((node) =>
      Object.entries(measures).flatMap(([measure, what]) => {
        const site = what.kind === "warm" && what.sameCore ? sites[1] : sites[0];
        const counted = what.kind === "connections";
        if (!site || (counted && (!real || node !== nodes[0]))) return [];
        const { version } = node;
        const place = { node, placement: site.placement, trust: site.server.trust };
        const rttMs = (!counted && what.rttMs) || 0;
        const endpoint = () => site.server.endpoint({ tls: what.kind === "cold", rttMs });
        return clients
          .filter((client) => isNeeded(measure, client, targets) && (client.mixes || measure !== "mixed"))
          .map((client) => ({ client, version, measure, what, place, endpoint, session, real }));
      }),
    );
    return Promise.all(cases.map(async (each) => ({ ...each, endpoint: await each.endpoint() })));
  },
  label: ({ client, measure, version }) => `Node ${version.slice(1)}, ${measure}, ${client.label}`,
  group: ({ measure, version }) => `${version} ${OWN_MEASURES[measure] ?? measure}`,
  session: async (group, { settings }) => {
    const { session } = group[0]!;
    const warm = group.flatMap(({ client, what, place, endpoint }) =>
      what.kind === "warm" ? [{ client, job: what.job, ...place, endpoint }] : [],
    );
    await session.start(warm, settings.quick);
    return () => session.stop();
  },
  run: async ({ client, what, place, endpoint, session, real }) => {
    if (what.kind === "connections") {
      const connections = await connectionsAtRedis(real!, client.protocol, what.instances);
      return { ...NOT_MEASURED, connections };
    }
    if (what.kind === "cold") {
      return { ...NOT_MEASURED, ...(await coldStart(client, what.way, { ...place, endpoint })) };
    }
    const result = await session.run(client, what.job);
    const { perSecond, ...numbers } = throughputOf(result);
    const [heapBefore, heapAfter] = [result.heapBefore / 1e6, result.heapAfter / 1e6];
    return { ...NOT_MEASURED, ...numbers, usPerCommand: 1e6 / perSecond, heapBefore, heapAfter };
  },
  report: (rows, context) => {
    const { settings } = context;
    const lines = [...sizeLines(), ...linesOf(rows, targetsOf(rows.map(({ client }) => client)))];
    const checks = lines.flatMap(({ check }) => check ?? []);
    const met = checks.filter(({ verdict }) => verdict === "yes").length;
    return {
      headlines: settings.quick ? [] : [{ value: `${met} of ${checks.length}`, label: "targets met" }],
      checks,
      table: tableOf(lines, ({ version }) => version, [
        ["Node", ({ version }) => version.slice(1)],
        ["measure", ({ name }) => name],
        ["target", ({ wanted }) => wanted],
        ["peer as shipped", ({ shipped }) => shipped],
        ["peer at its best known settings", ({ best }) => best],
        ["better", ({ better }) => better],
        ["medians", ({ medians }) => medians],
      ]),
      charts: [
        barChart(
          "Measurement as a share of the limit",
          "",
          lines.filter(({ version, check }) => version !== "" && check),
          {
            group: ({ version }) => `Node ${version.slice(1)}`,
            limit: 1,
            style: ({ check, name, peer }) => ({
              label: `${name}: ${peer}`,
              hue: settings.quick ? 4 : check!.verdict === "yes" ? 0 : 1,
            }),
            value: ({ ofLimit }) => ofLimit!,
          },
        ),
      ],
      notes: [
        `${settings.rounds} rounds. In each round every client starts a fresh process for every cold row and runs for ${settings.seconds * 1_000} ms for every warm row. Ratios are of medians, with intervals over the rounds. The better of the peer's settings decides: as shipped, or the best known ones, which the clients' notes name.`,
        ...(settings.quick ? [] : warmUpNotes(rows, ({ client, measure }) => `${client.label}, ${measure}`)),
        ...fixedServerNotes(context),
        ...(findRedisServer() ? [] : [`Skipped: connections at Redis: ${NO_REDIS}.`]),
        "Lines without a limit compare with what a user would pick instead. The column better names the one whose number is better, within a limit too. It is undecided if the interval contains 1. With an awaited PING every client is ready when its init phase ends; ioredis as shipped checks that Redis is ready, at its best known settings it does not. Connections at Redis are those of instances with one connection each, to Redis or to the gateway.",
        "The scenario gateway measures the targets of the gateway.",
      ],
    };
  },
});
