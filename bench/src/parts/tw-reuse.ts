import { execFile, execFileSync } from "node:child_process";
import { basename } from "node:path";
import { type BenchClient, built, handlerPath } from "../client/bench-client.js";
import type { TwReuseResult, TwReuseWork } from "../handlers/tw-reuse.js";
import { atLeast, exactly } from "../results/checks.js";
import { count, meanColumns, share, tabulate, totalColumns, withInterval } from "../results/present.js";
import { defineScenario } from "../scenario.js";
import { mean, ratio } from "../statistics/series.js";

/** Connections per second: enough to use up FEW ports before the first socket leaves TIME_WAIT. */
const PER_S = 200;
/** Numbers of local ports: Linux's default, and one so low that the ports run out within seconds. */
const [MANY, FEW] = [28_232, 500];
const ARMS = ([0, 1] as const).flatMap((reuse) =>
  [MANY, FEW].map((ports) => ({ reuse, ports, name: `tcp_tw_reuse=${reuse}` })),
);
type Arm = (typeof ARMS)[number] & { readonly client?: BenchClient };
const portsOf = ({ ports }: { readonly ports: number }) => `${count(ports)} local ports`;

/** The flags of `unshare` that give a process its own network namespace, with root rights in it. */
const UNSHARE = ["--net", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
/** Switches the loopback interface on, and runs the rest of the command line. */
const UP = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** Returns why this machine can't create a network namespace, as "needs ..."; undefined if it can. */
export function namespaceMissing(): string | undefined {
  try {
    const write = "cat /proc/sys/net/ipv4/tcp_tw_reuse > /proc/sys/net/ipv4/tcp_tw_reuse";
    execFileSync("unshare", [...UNSHARE, ...UP, "sh", "-c", write], { stdio: "ignore" });
    return undefined;
  } catch {
    return "needs a network namespace: Linux with unshare and ip, as root or with user namespaces";
  }
}

const LIMIT_MS = 10 * 60_000;

/** Runs a Node program in its own network namespace, for at most `limitMs`. Returns its JSON output. */
export function runInNamespace<T>(program: string, work: unknown, limitMs = LIMIT_MS): Promise<T> {
  const args = [...UNSHARE, ...UP, process.execPath, program, JSON.stringify(work)];
  return new Promise((resolve, reject) => {
    const limit = { timeout: limitMs, killSignal: "SIGKILL" } as const;
    execFile("unshare", args, limit, (error, stdout, stderr) => {
      const name = `The process ${basename(program)} in a network namespace`;
      if (error?.killed) reject(new Error(`${name} took longer than ${limitMs / 1_000} s.`));
      else if (error) reject(new Error(`${name} failed: ${stderr.slice(0, 500)}`));
      else resolve(JSON.parse(stdout));
    });
  });
}

export default defineScenario({
  name: "tw-reuse",
  title: "Sockets in TIME_WAIT and tcp_tw_reuse",
  question: "Does tcp_tw_reuse help a process that opens a connection for each request?",
  protocol: "http",
  fixed: ["rtt", "tls"],
  lanes: 5,
  defaults: { rounds: [1, 1], seconds: [6, 4] },
  missing: namespaceMissing,
  cases: ({ clients, record }): Arm[] => {
    record({ engine: "fixed replies", rttMs: 0, tls: false, perSecond: PER_S });
    const ofClients = clients.map((client): Arm => {
      return { reuse: 0, ports: FEW, name: `kept connections of ${client.label}`, client };
    });
    return [...ARMS, ...ofClients];
  },
  label: ({ name, ...each }) => `${name}, ${portsOf(each)}`,
  run: ({ reuse, ports, client }, { settings }): Promise<TwReuseResult> => {
    const kept = client && { client: built(`clients/${client.name}.js`) };
    const work: TwReuseWork = { reuse, ports, perSecond: PER_S, seconds: settings.seconds, ...kept };
    return runInNamespace(handlerPath("tw-reuse"), work);
  },
  report: (rows, { settings }) => {
    const arm = (reuse: number, ports: number) =>
      rows.find((row) => row.reuse === reuse && row.ports === ports && row.name.startsWith("tcp"))!;
    const [off, on, few, fewReused] = [arm(0, MANY), arm(1, MANY), arm(0, FEW), arm(1, FEW)];
    const failedOf = (row: typeof few) => `${row.failed.total} of ${row.failed.total + row.opened.total}`;
    return {
      checks: [
        atLeast(
          // The article's machine has as many ports as Linux has by default.
          `with tcp_tw_reuse over 90% of the sockets in TIME_WAIT remain, ${portsOf(on)}`,
          ratio(on.timeWait, off.timeWait, mean),
          0.9,
          {
            article: "envoy.reuse",
            beside: `${withInterval(ratio(fewReused.timeWait, few.timeWait, mean), share)} with ${portsOf(few)}`,
            text: share,
          },
        ),
        exactly(
          `connects fail once the sockets in TIME_WAIT have used up the local ports, ${portsOf(few)}`,
          few.failed.min > 0,
          `${failedOf(few)} failed`,
          {
            article: "envoy.exhausted",
            beside: `${failedOf(fewReused)} with tcp_tw_reuse, which takes ports over after a second`,
          },
        ),
        ...rows
          .filter(({ name }) => name.startsWith("kept"))
          .map((row) => exactly(`${row.name}: no connect fails`, row.failed.total === 0, failedOf(row))),
      ],
      ...tabulate(rows, { group: portsOf, charts: ["TIME_WAIT"] }, [
        ["local ports", portsOf],
        ["connection", ({ name }) => name],
        ...meanColumns({ timeWait: "TIME_WAIT" }),
        ...totalColumns({ opened: "requests", failed: "failed" }),
      ]),
      notes: [
        `Each round runs in a network namespace of its own, where a process opens ${PER_S} connections per second for ${settings.seconds} s and closes each at once. With ${portsOf({ ports: MANY })}, Linux's default, ports would run out after ${count(MANY / PER_S)} s; TIME_WAIT lasts 60 s, so they run out above ${count(MANY / 60)} connections per second to one address.`,
        "A failed connect fails at once here (EADDRNOTAVAIL). The article's client reports it as a timeout after 4 s.",
      ],
    };
  },
});
