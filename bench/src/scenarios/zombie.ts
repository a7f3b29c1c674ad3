import { idleReaper } from "warmline-testbed";
import { type FaultClient, faultClients, faultNotes } from "../client/bench-client.js";
import type { Call } from "../faults/calls.js";
import { incr } from "../faults/faults.js";
import { COUNTS, type Ending, endingsOf, judge, total } from "../faults/judge.js";
import { FUNCTION_MS, ReplacedInstance } from "../faults/replaced-instance.js";
import finWait from "../parts/fin-wait.js";
import { decidedBy, exactly } from "../results/checks.js";
import { byClient, grouped, tabulate, totalColumns } from "../results/present.js";
import { withHead, withoutNumbers } from "../rig/response-head.js";
import type { Defer, Rig } from "../rig/rig.js";
import { PAUSING_LANES } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";

/**
 * How long the function is frozen in s, after how many s of idle time the connection is dropped, and the calls of a round. The freezes
 * are just above 1 s, after which warmline suspects a connection, above 4 s, after which undici does, and long.
 */
const FREEZES = [
  { frozenS: 1.2, limitS: 1, repeats: 2 },
  { frozenS: 6, limitS: 3, repeats: 2 },
  { frozenS: 60, limitS: 30, repeats: 1 },
] as const;
/** What the gateway announces by default, in s. */
const LONG_S = 310;

/**
 * Who drops the connection at the limit: a server, whose kernel resets later bytes, or a device on the way, which is silent. And the
 * limit that the server's Keep-Alive header announces: its own, a longer one, or none.
 */
const ARMS = [
  { arm: "honest server", drops: "server", announces: "limit" },
  { arm: "silent server", drops: "server", announces: "nothing" },
  { arm: "middlebox", drops: "middlebox", announces: "long" },
  { arm: "middlebox, nothing announced", drops: "middlebox", announces: "nothing" },
  { arm: "nobody", drops: "nobody", announces: "long" },
] as const;

/** The header of a response that announces its server's idle limit. */
const KEEP_ALIVE = /Keep-Alive: timeout=\d+\r\n/i;
/** Longer than any trial, in ms. */
const NEVER_MS = 600_000;

let trials = 0;

type ZombieCase = (typeof ARMS)[number] &
  (typeof FREEZES)[number] &
  Readonly<{ client: FaultClient; rig: Rig }>;

/** Invokes a function, freezes it, and invokes it again. Returns how the second call ended. */
async function zombieTrial(each: ZombieCase, defer: Defer): Promise<Ending> {
  const { rig, drops, announces, frozenS, limitS } = each;
  const { label, plain, function: spec } = each.client;
  const site = await rig.at({}, defer);
  const closeMs = limitS * 1_000;
  const goneMs = drops === "middlebox" ? closeMs : NEVER_MS;
  const announcedS = { limit: limitS, long: LONG_S, nothing: null }[announces];
  const header = announcedS === null ? "" : `Keep-Alive: timeout=${announcedS}\r\n`;
  for (const proxy of site.proxies) {
    proxy.onConnection(() => ({
      ...(drops !== "nobody" && idleReaper({ closeMs, goneMs, fin: "lost" })),
      ...withHead((head) => (plain ? withoutNumbers(head) : head).replace(KEEP_ALIVE, header)),
    }));
  }
  const instance = new ReplacedInstance(label, spec);
  defer(() => instance.stop());
  const key = `zombie:${++trials}`;
  const event = (call: Call) => ({ ...site.endpoint, turns: [[call]] });
  const before = await instance.invoke(event(incr(`${key};first`)));
  if (before?.[0]?.value !== 1) throw new Error(`${label}: the first call failed\n${instance.output}`);
  const second = incr(`${key};second`);
  const settled = await instance.invoke(event(second), undefined, frozenS * 1_000);
  await instance.stop();
  return judge(second, settled?.[0], await rig.command("GET", second.key), FUNCTION_MS);
}

export default defineScenario({
  name: "zombie",
  title: "Dead connections after a freeze",
  question: "What happens to the first call after a freeze if the server has dropped the idle connection?",
  clients: "candidates",
  lanes: PAUSING_LANES,
  parts: [finWait],
  defaults: { rounds: [1, 1], seconds: [60, 6] },
  cases: async ({ rig, clients, settings }) => {
    const own = await rig();
    await own.numbered();
    return ARMS.flatMap((arm) =>
      FREEZES.filter(({ frozenS }) => frozenS <= settings.seconds).flatMap((freeze) =>
        clients.flatMap((each) =>
          faultClients(each, own).map((client) => ({ client, ...arm, ...freeze, rig: own })),
        ),
      ),
    );
  },
  durationS: ({ frozenS, repeats }) => repeats * (frozenS + 0.5),
  label: ({ client, arm, frozenS }) => `${client.label}, ${arm}, frozen for ${frozenS} s`,
  run: async (each, { settings, defer }) => {
    const endings: Ending[] = [];
    for (let at = 0; at < (settings.quick ? 1 : each.repeats); at++)
      endings.push(await zombieTrial(each, defer));
    return endingsOf(endings);
  },
  report: (rows, { clients: measured }) => {
    const clients = byClient(rows);
    const lost = (own: typeof rows) => total(own, "failed") + total(own, "hung");
    const of = (own: typeof rows) => `${lost(own)} of ${total(own, "calls")} calls lost`;
    const arms = grouped(rows, ({ arm }) => arm);
    const armOf = (own: typeof rows, name: string) => own.filter(({ arm }) => arm === name);
    const isOwn = ({ name }: (typeof clients)[number]) => name.startsWith("warmline");
    const others = clients.filter((client) => !isOwn(client));
    // The article's client is ioredis, and its ETIMEDOUT the silence of a dropped flow.
    const decide = decidedBy(others, ({ name }) => name === "ioredis");
    return {
      checks: [
        ...clients.filter(isOwn).flatMap(({ label, rows: own }) => {
          const beside = arms.map(([each]) => `${each}: ${of(armOf(own, each))}`).join("; ");
          const twice = total(own, "doubled");
          return [
            exactly(`${label} loses no call in any arm`, lost(own) === 0, of(own), { beside }),
            exactly(`${label} applies no write twice`, twice === 0, `${twice} of ${total(own, "calls")}`),
          ];
        }),
        ...decide("serverless.zombie", ({ label, rows: own }) => {
          const [short, long] = [armOf(own, "middlebox"), armOf(own, "nobody")];
          return exactly(
            `${label}: an idle limit shorter than the instance's lifetime causes errors, a longer one does not`,
            lost(short) > 0 && lost(long) === 0,
            `${of(short)} if the connection is dropped during the freeze, ${of(long)} if it is not`,
          );
        }),
      ],
      ...tabulate(
        rows,
        { group: ({ arm, frozenS }) => `${arm}, frozen for ${frozenS} s`, charts: ["hung"] },
        [
          ["drops the connection", ({ arm }) => arm],
          ["frozen for", ({ frozenS }) => `${frozenS} s`],
          ["client", ({ client }) => client.label],
          ...totalColumns(COUNTS),
          ["longest ms", ({ ms }) => ms.max],
        ],
      ),
      notes: [
        `A function is invoked, frozen for ${FREEZES.map(({ frozenS }) => frozenS).join(", ")} s, and invoked again, each time with one INCR. Meanwhile the connection is dropped after ${FREEZES.map(({ limitS }) => limitS).join(", ")} s of idle time. Times are real. The function's timeout is ${FUNCTION_MS / 1_000} s.`,
        `Honest server: it announces its idle limit in Keep-Alive. Silent server: it announces none, as Redis does over TCP in every arm. Both close the connection, the FIN does not reach the frozen function, and later bytes get a reset. Middlebox: a NAT or load balancer with a shorter limit than the ${LONG_S} s that the server announces drops the flow; later bytes get no reaction. Nothing announced: the same, but the server announces none: then fetch and undici give up a socket after 4 s. Nobody: the connection stays open.`,
        "A call that has not settled when the function times out counts as hung. Duplicates are counted at the server.",
        'Clients run with their defaults, and the others a second time with documented options, chosen by this project. "warmline, no numbers" and "warmline, exactly-once" have an endpoint that offers no numbers, like Upstash or several gateways.',
        ...faultNotes(measured),
      ],
    };
  },
});
