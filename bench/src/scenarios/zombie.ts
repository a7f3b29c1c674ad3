import { faultClients, faultNotes } from "../client/bench-client.js";
import { COUNTS, total } from "../faults/judge.js";
import { zombieTrial } from "../faults/zombie-trial.js";
import finWait from "../parts/fin-wait.js";
import { claimOf, decideClaim, exactly } from "../results/checks.js";
import { barChart, byClient, grouped, tableOf, totalColumns } from "../results/present.js";
import { defineScenario } from "../scenario.js";

/** The length of the freeze and the lifetime of an idle instance, in s of the timeline. */
const IDLE_S = [30, 75, 95, 270, 400];
const LIFETIME_S = 300;
/** Factor of the idle limit after which bytes on a closed connection get no reset any more. */
const GONE_AFTER = 1.5;
/** The function's timeout in ms of real time. */
const FUNCTION_MS = 6_000;

/** The server's idle limit in s, and the limit that its Keep-Alive header announces; null: it sends none. */
const ARMS = [
  { arm: "honest header", limitS: 60, announcedS: 60 },
  { arm: "no header", limitS: 60, announcedS: null },
  { arm: "middlebox shorter than the header", limitS: 60, announcedS: 310 },
  { arm: "limit above the lifetime", limitS: 310, announcedS: 310 },
] as const;

/** Invokes a function, freezes it, and invokes it again on a connection that may have died. */
export default defineScenario({
  name: "zombie",
  title: "Dead connections after a freeze",
  question: "What happens to the first call after a freeze if the server has dropped the idle connection?",
  clients: "candidates",
  order: 6,
  lanes: 40,
  // Clients' own timers are not scaled, so a full run keeps the timeline slow.
  parts: [finWait],
  defaults: { rounds: [5, 1], speedup: [10, 30] },
  cases: async ({ rig, clients }) => {
    const own = await rig();
    return ARMS.flatMap((arm) =>
      IDLE_S.flatMap((idleS) =>
        clients.flatMap((each) =>
          faultClients(each, own.endpoint).map((client) => ({
            client,
            tcp: each.protocol === "tcp",
            ...arm,
            idleS,
            rig: own,
          })),
        ),
      ),
    );
  },
  label: ({ client, arm, idleS }) => `${client.label}, ${arm}, idle ${idleS} s`,
  run: ({ client, rig, limitS, announcedS, idleS }, { settings: { speedup } }) => {
    const times = { limitS, announcedS, idleS, lifetimeS: LIFETIME_S, goneAfter: GONE_AFTER, speedup };
    return zombieTrial(rig, client, times, FUNCTION_MS);
  },
  report: (rows, { settings, clients: measured }) => {
    const clients = byClient(rows);
    const lost = (own: typeof rows) => total(own, "failed") + total(own, "hung");
    const of = (own: typeof rows) => `${lost(own)} of ${total(own, "calls")} calls lost`;
    const arms = grouped(rows, ({ arm }) => arm);
    const armOf = (own: typeof rows, name: string) => own.filter(({ arm }) => arm === name);
    const isOwn = ({ name }: (typeof clients)[number]) => name.startsWith("warmline");
    return {
      headlines: clients.map(({ label, rows: own }) => ({ value: of(own), label })),
      checks: [
        ...clients.filter(isOwn).flatMap(({ label, rows: own }) => {
          const beside = arms.map(([each]) => `${each}: ${of(armOf(own, each))}`).join("; ");
          const twice = total(own, "doubled");
          return [
            exactly(`${label} loses no call in any arm`, lost(own) === 0, of(own), { beside }),
            exactly(`${label} applies no write twice`, twice === 0, `${twice} of ${total(own, "calls")}`),
          ];
        }),
        ...decideClaim(
          claimOf("serverless", "zombie"), // The article's client is ioredis.
          clients.filter((client) => !isOwn(client)),
          ({ name }) => name === "ioredis",
          ({ label, rows: own }) => {
            const short = armOf(own, own[0]!.tcp ? "no header" : "honest header");
            const long = armOf(own, "limit above the lifetime");
            return exactly(
              `${label}: an idle limit shorter than the instance's lifetime causes errors, a longer one does not`,
              lost(short) > 0 && lost(long) === 0,
              `${of(short)} with a limit of 60 s, ${of(long)} with 310 s`,
            );
          },
        ),
      ],
      table: tableOf(rows, ({ arm, idleS }) => `${arm} ${idleS}`, [
        ["arm", ({ arm }) => arm],
        ["frozen for", ({ idleS }) => (idleS > LIFETIME_S ? `${idleS} s (a new instance)` : `${idleS} s`)],
        ["client", ({ client }) => client.label],
        ...totalColumns(COUNTS),
        ["longest ms", ({ ms }) => ms.max],
      ]),
      charts: [
        barChart(
          "Lost calls",
          "",
          arms.flatMap(([, own]) => byClient(own)),
          {
            group: ({ rows: own }) => own[0]!.arm,
            style: ({ label, rows: own }) => ({ label, hue: lost(own) > 0 ? 1 : 0 }),
            value: ({ rows: own }) => lost(own),
            text: ({ rows: own }) => of(own),
          },
        ),
      ],
      notes: [
        `The timeline runs ${settings.speedup} times faster than real time (--speedup), the announced limit too. The clients' own timeouts and the function's timeout of ${FUNCTION_MS / 1_000} s are not scaled.`,
        "Honest header: the server announces its idle limit in Keep-Alive. No header: it announces none; over TCP there is no header in any arm. Middlebox: a device between client and server drops connections earlier than the server announces.",
        "A function is invoked, frozen, and invoked again after the idle time, each time with one INCR. After its lifetime the instance is gone and a new one runs the invocation.",
        `At the idle limit the connection is closed. The FIN does not reach the frozen function. Until ${GONE_AFTER} times the limit its bytes get a reset, after that no reaction at all.`,
        "A call that has not settled when the function times out counts as hung. Duplicates are counted at the server.",
        'Clients run with their defaults, and the others a second time with the best settings known against faults. "warmline, deadline" has the invocation\'s context as its deadline, and so has "warmline, exactly-once".',
        ...faultNotes(measured),
      ],
    };
  },
});
