import { type BenchClient, faultClients, faultNotes } from "../client/bench-client.js";
import type { CallResult, TurnsEvent } from "../faults/calls.js";
import { FAULTS, type Fault, get } from "../faults/faults.js";
import { COUNTS, type Ending, endingsOf, judge, stored, total } from "../faults/judge.js";
import { FUNCTION_MS, ReplacedInstance } from "../faults/replaced-instance.js";
import { decidedBy, exactly } from "../results/checks.js";
import { byClient, grouped, tabulate, totalColumns } from "../results/present.js";
import type { MatrixChart } from "../results/result.js";
import type { Rig } from "../rig/rig.js";
import { type Context, defineScenario } from "../scenario.js";
import type { Series } from "../statistics/series.js";

/**
 * Length of the freeze in ms, of a run and of a quick one. It is longer than any of the clients keeps an idle connection without
 * knowing the server's limit; the scenario zombie has other lengths.
 */
const FREEZE_MS = [6_000, 1_200] as const;

/**
 * Maximum number of turns of an invocation. The function's timeout is meant for a call and its retries: on a slow machine all turns of a fault
 * together may exceed it, which would count as calls that hang.
 */
const TURNS_PER_INVOCATION = 2;

type FaultCase = Readonly<{
  /** The client's protocol, and the port that it reaches instead of the server's own. */
  client: Pick<BenchClient, "protocol"> & { readonly port: number | undefined };
  fault: Fault;
  rig: Rig;
}>;

let trials = 0;

/** Applies one fault to one client once. Returns how each call ended. */
async function trial(each: FaultCase, instance: ReplacedInstance, context: Context): Promise<Ending[]> {
  const { rig, fault } = each;
  const { protocol, port } = each.client;
  const { random, defer, settings } = context;
  const freezeMs = fault.frozen ? FREEZE_MS[settings.quick ? 1 : 0] : 0;
  const proxy = await rig.openProxy(protocol, defer, port);
  const prefix = `faults:${++trials}:`;
  const key = (name: string) => `${prefix}${name};`;
  const { turns, behaviour, strike } = fault.stage({ proxy, protocol, random, key, command: rig.command });
  const begin = () => {
    const over = strike?.();
    defer(() => over);
  };
  const calls = turns.flat();
  for (const { command, key } of calls) {
    if (command === "get") await rig.command("SET", key, stored(key));
    if (command === "hgetall") await rig.command("HSET", key, "f", stored(key));
  }
  if (behaviour) proxy.onConnection(() => behaviour);
  const { token, tcp } = rig.endpoint;
  const event = (some: typeof turns): TurnsEvent => ({
    ...{ url: proxy.url, token, turns: some },
    ...(protocol === "tcp" && { tcp: { ...tcp!, port: proxy.port } }),
  });
  const succeeds = async () => (await instance.invoke(event([[get(`${prefix}warm`)]])))?.[0]?.value === null;
  // On a busy machine a client may give up its first attempts.
  for (let attempt = 1; !(await succeeds()); attempt++)
    if (attempt === 5) throw new Error(`${instance.label}: the first command failed\n${instance.output}`);
  const settled: (CallResult | undefined)[] = [];
  for (let at = 0; at < turns.length; at += TURNS_PER_INVOCATION) {
    const some = turns.slice(at, at + TURNS_PER_INVOCATION);
    const strikes = at === 0 ? begin : undefined;
    const ended = await instance.invoke(event(some), strikes, freezeMs);
    settled.push(...(ended ?? some.flat().map(() => undefined)));
  }
  const found = (await rig.command("MGET", ...calls.map((call) => call.key))) as unknown[];
  return calls.map((call, at) => judge(call, settled[at], found[at], FUNCTION_MS));
}

export default defineScenario({
  name: "faults",
  title: "Faults between a function and its Redis",
  question: "What happens to a call when the network, the server or the platform fails?",
  lanes: 12,
  clients: "candidates",
  defaults: { rounds: [1, 1] },
  cases: async ({ rig, clients, defer }) => {
    const own = await rig();
    await own.numbered();
    const [plain] = (await own.plain({ rttMs: 0, tls: false })).proxies;
    // An instance is used by one trial at a time, and again by the next one.
    const idle: ReplacedInstance[] = [];
    const used = clients.flatMap((client) =>
      faultClients(client, own).map(({ name, label, plain: isPlain, function: spec }) => {
        const start = () => {
          const instance = new ReplacedInstance(label, spec);
          defer(() => instance.stop());
          return instance;
        };
        const port = isPlain ? plain!.port : undefined;
        return { name, label, protocol: client.protocol, port, start };
      }),
    );
    return FAULTS.flatMap((fault) =>
      used
        .filter(({ protocol }) => protocol === "http" || !fault.onlyHttp)
        .map((client) => {
          const { title, hopeless = false } = fault;
          return { title, hopeless, fault, client, rig: own, idle };
        }),
    );
  },
  label: ({ client, title }) => `${client.label}, ${title}`,
  run: async ({ idle, ...each }, context) => {
    const { label, protocol, start } = each.client;
    const at = idle.findIndex((each) => each.label === label);
    const instance = at < 0 ? start() : idle.splice(at, 1)[0]!;
    const endings = await trial(each, instance, context);
    // A client over TCP goes on connecting to the proxy of the trial, which is closed.
    if (protocol === "tcp") await instance.stop();
    idle.push(instance);
    return endingsOf(endings);
  },
  report: (rows, { settings, clients: measured }) => {
    const clients = byClient(rows);
    const own = clients.filter(({ name }) => name.startsWith("warmline"));
    const others = clients.filter((client) => !own.includes(client));
    return {
      checks: [
        ...own.flatMap(({ name, label, rows: each }) => {
          const possible = each.filter(({ hopeless }) => !hopeless);
          const [resolved, calls] = [total(possible, "resolved"), total(possible, "calls")];
          const counted = `${resolved} of ${calls}`;
          const none = (expectation: string, key: "doubled" | "hung" | "wrong", some = each) => {
            const n = total(some, key);
            return exactly(`${label} ${expectation}`, n === 0, `${n} of ${total(some, "calls")} calls`);
          };
          return [
            none("applies no write more than once", "doubled"),
            none("settles every call before the function times out", "hung"),
            none("resolves only with the command's own value", "wrong"),
            ...(name === "warmline-once"
              ? [exactly(`${label} resolves all possible calls`, resolved === calls, counted)]
              : []),
          ];
        }),
        // The article's client.
        ...decidedBy(others, ({ name }) => name === "ioredis")(
          "serverless.retry",
          ({ label, rows: each }) => {
            const twice = total(each, "doubled");
            return exactly(`${label}, which repeats writes, applies some twice`, twice > 0, `${twice} twice`);
          },
        ),
      ],
      ...tabulate(rows, { group: ({ title }) => title }, [
        ["fault", ({ title }) => title],
        ["client", ({ client }) => client.label],
        ...totalColumns(COUNTS),
        ["longest ms", ({ ms }) => ms.max],
      ]),
      charts: [faultMatrix(rows)],
      notes: [
        `Each fault is applied to each client ${settings.rounds === 1 ? "once" : `${settings.rounds} times`}, through a proxy and with keys of its own. Each trial starts after one successful command.`,
        `A call that has not settled when the function times out (${FUNCTION_MS / 1_000} s) counts as hung. The instance then ends, as on Lambda.`,
        "Duplicates are writes that the server applied more often than they were issued, read behind the gateway after the trial. A duplicate SET is one whose repeat overwrote a newer value of another client. Wrong is a call that resolved with a value that is not its command's.",
        'Clients run with their defaults, and the others a second time with documented options, chosen by this project. "warmline, no numbers" has an endpoint that offers no numbers, like Upstash or several gateways: if the outcome of a write is unknown, it rejects with UnknownOutcomeError. "warmline, exactly-once" has such an endpoint and writes: "exactly-once": it resolves and applies the write once.',
        ...faultNotes(measured),
        `Frozen functions are stopped for ${FREEZE_MS[settings.quick ? 1 : 0] / 1_000} s between two invocations and thawed with the next one waiting.`,
      ],
    };
  },
});

const KINDS = { doubled: "doubled", wrong: "wrong", hung: "hung", failed: "rejected" } as const;

/** The table of what each fault did to the calls of each client; the worst outcome decides a cell. */
function faultMatrix(
  rows: readonly (Record<"calls" | keyof typeof KINDS, Series> & {
    readonly title: string;
    readonly client: { readonly label: string };
  })[],
): MatrixChart {
  const columns = [...new Set(rows.map(({ client }) => client.label))];
  const cellOf = (row: (typeof rows)[number] | undefined): MatrixChart["rows"][number]["cells"][number] => {
    if (!row) return null;
    const found = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((key) => row[key].total > 0);
    if (found.length === 0) return { kind: "right", text: "right" };
    const text = found.map((key) => `${KINDS[key]} ${row[key].total}`).join(", ");
    return { kind: KINDS[found[0]!], text: `${text} of ${row.calls.total}` };
  };
  return {
    kind: "matrix",
    title: "Faults and their outcomes",
    about:
      "Numbers count calls, or writes applied more often than issued. A cell has the colour of its worst outcome. It is empty if clients over TCP cannot meet the fault.",
    columns,
    rows: grouped(rows, ({ title }) => title).map(([title, own]) => ({
      title,
      cells: columns.map((label) => cellOf(own.find(({ client }) => client.label === label))),
    })),
  };
}
