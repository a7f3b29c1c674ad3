import { coldStart } from "../perf/cold.js";
import { throughputOf, WorkerSession, warmUpNotes } from "../perf/session.js";
import { fixedServerNotes, startFixedSites } from "../perf/site.js";
import {
  compareWithPeer,
  measuresOf,
  NOT_MEASURED,
  OWN_MEASURES,
  sizeLines,
  TARGETS,
} from "../perf/targets.js";
import { barChart, tableOf } from "../present.js";
import { defineScenario } from "../scenario.js";

/** Measures every target for speed, size and memory: the limit, the measurement, and whether it is met. */
export default defineScenario({
  name: "targets",
  title: "Performance targets",
  question: "Does the client meet its targets for speed, size and memory?",
  clients: ["warmline", "upstash", "upstash-tuned", "ioredis", "ioredis-tuned", "raw"],
  order: 12,
  ownServer: true,
  defaults: { rounds: [9, 1], seconds: [0.12, 0.02] },
  cases: async (context) => {
    const { clients, settings, record } = context;
    const { nodes, sites } = await startFixedSites(context, 2);
    record({ tls: false });
    const measures = measuresOf(settings.seconds * 1_000, settings.quick ? 1_000 : 100_000);
    const session = new WorkerSession();
    const cases = nodes.flatMap((node) =>
      Object.entries(measures).flatMap(([measure, what]) => {
        const site = what.kind === "warm" && what.sameCore ? sites[1] : sites[0];
        if (!site) return [];
        const place = { node, placement: site.placement, trust: site.server.trust };
        const endpoint = () => site.server.endpoint({ tls: what.kind === "cold", rttMs: what.rttMs ?? 0 });
        return clients
          .filter(({ name, mixes }) =>
            measure in OWN_MEASURES ? name === "warmline" : mixes || measure !== "mixed",
          )
          .map((client) => ({ client, version: node.version, measure, what, place, endpoint, session }));
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
  run: async ({ client, what, place, endpoint, session }) => {
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
    const find = (version: string, measure: string, client: string) =>
      rows.find((row) => row.version === version && row.measure === measure && row.client.name === client);
    const versions = [...new Set(rows.map(({ version }) => version))];
    const compared = versions.flatMap((version) =>
      TARGETS.flatMap((target) => {
        const own = find(version, target.measure, "warmline")?.[target.value];
        const { peer } = target;
        const shipped =
          typeof peer === "string"
            ? find(version, target.measure, peer)?.[target.value]
            : find(version, peer.measure, "warmline")?.[peer.value];
        if (!own || !shipped) return [];
        const tuned =
          typeof peer === "string"
            ? find(version, target.measure, `${peer}-tuned`)?.[target.value]
            : undefined;
        return [compareWithPeer(version, target, own, shipped, tuned)];
      }),
    );
    const lines = [...sizeLines(), ...compared];
    const met = lines.filter(({ check }) => check.verdict === "yes").length;
    return {
      headlines: settings.quick ? [] : [{ value: `${met} of ${lines.length}`, label: "targets met" }],
      checks: lines.map(({ check }) => check),
      table: tableOf(lines, ({ version }) => version, [
        ["Node", ({ version }) => version.slice(1)],
        ["measure", ({ name }) => name],
        ["target", ({ wanted }) => wanted],
        ["peer as shipped", ({ shipped }) => shipped],
        ["peer at its best known settings", ({ best }) => best],
        ["medians", ({ medians }) => medians],
      ]),
      charts: [
        barChart("Measurement as a share of the limit; 1 is the limit", "", compared, {
          group: ({ version }) => `Node ${version.slice(1)}`,
          style: ({ check, name }) => ({
            label: name,
            hue: settings.quick ? 4 : check.verdict === "yes" ? 0 : 1,
          }),
          value: ({ ofLimit }) => ofLimit,
        }),
      ],
      notes: [
        `${settings.rounds} rounds. In each round every client starts a fresh process for every cold row and runs for ${settings.seconds * 1_000} ms for every warm row. Ratios are of medians, with intervals over the rounds. The better of the peer's settings decides: as shipped, or the best known ones, which the clients' notes name.`,
        ...(settings.quick ? [] : warmUpNotes(rows, ({ client, measure }) => `${client.label}, ${measure}`)),
        ...fixedServerNotes(context),
        "The scenario gateway measures the targets of the gateway.",
      ],
    };
  },
});
