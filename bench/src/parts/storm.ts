import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Certificate,
  freePorts,
  type Instance,
  makeCertificate,
  startGatewayProcess,
  startInstance,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { type BenchClient, clientFunction } from "../client/bench-client.js";
import type { RawTarget } from "../client/raw-connection.js";
import type { handler, TransactionsEvent } from "../handlers/transactions.js";
import { exactly } from "../results/checks.js";
import { count, latencyColumns, meanColumns, tabulate } from "../results/present.js";
import { started } from "../rig/rig.js";
import { type Body, bodyOf, GREETING } from "../rig/run-instance.js";
import { type Context, defineScenario, redisMissing } from "../scenario.js";
import { mean, ratio } from "../statistics/series.js";
import { allEnded } from "../util/promises.js";

/** Users that stay connected, and new ones per second. */
const CONNECTED = 8;
const RATES = [50, 200];
const [, MOST] = RATES as [number, number];
/** Time in s for which new users also arrive before the measurement, and after it. */
const LEAD_S = 0.3;
const WAYS = { direct: "direct to Redis", gateway: "through the gateway" } as const;
type Way = keyof typeof WAYS;

interface Storm {
  readonly way: Way;
  readonly perS: number;
  /** Whether new users arrive at another server of this machine, so that they cost the machine the same and this server nothing. */
  readonly elsewhere?: boolean;
  /** The client that each new user creates. Absent: a new user is a plain socket. */
  readonly client?: BenchClient;
}

const titleOf = ({ perS, elsewhere, client }: Storm) => {
  if (perS === 0) return "no new users";
  if (client) return `${perS} calls/s that each create ${client.label}`;
  return `${perS} connections/s${elsewhere ? " to another server" : ""}`;
};

/** Starts a Redis and a gateway that both do TLS themselves, and proxies that count the connections of new users. */
async function startServers({ cert, key }: Certificate, defer: Context["defer"]) {
  const folder = mkdtempSync(join(tmpdir(), "warmline-storm-"));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "tls.pem");
  writeFileSync(file, cert + key);
  const [port] = (await freePorts(1)) as [number];
  const files = ["cert", "key", "ca-cert"].flatMap((name) => [`--tls-${name}-file`, file]);
  const flags = ["--tls-port", String(port), "--tls-auth-clients", "no", ...files];
  const redis = await started(startRedis({ listen: "tcp", flags }), defer);
  await redis.command("SET", "greeting", GREETING);
  const args = ["--redis", redis.url, "--tls-cert", file, "--tls-key", file];
  const gateway = await started(startGatewayProcess({ args }), defer);
  const { token } = gateway;
  const targets: Record<Way, RawTarget> = {
    direct: { port, tls: true, auth: { protocol: "redis" } },
    gateway: { port: gateway.port, tls: true, auth: { protocol: "http", token } },
  };
  const proxyTo = (way: Way) => started(startNetworkProxy({ to: targets[way], protocol: "raw" }), defer);
  const proxies = { direct: await proxyTo("direct"), gateway: await proxyTo("gateway") };
  return { targets, proxies, token };
}
type Servers = Awaited<ReturnType<typeof startServers>>;

/** Starts an instance of users. New ones create the client, if there is one, and connect to the proxies. */
function startUsers({ proxies, token }: Servers, trust: Record<string, string>, client?: BenchClient) {
  const url = `https://127.0.0.1:${proxies.gateway.port}`;
  const endpoint = { url, token, tcp: { port: proxies.direct.port, tls: true } };
  const recreated = { keepAlive: true, reused: false };
  const spec = clientFunction("transactions", client, recreated, { endpoint, trust });
  return startInstance({ ...spec, timeoutMs: 120_000 });
}

async function work(instance: Instance, event: TransactionsEvent): Promise<Body<typeof handler>> {
  return bodyOf(await instance.invoke(event), "The users", instance) as Body<typeof handler>;
}

/** Measures those who are connected while others connect. */
export default defineScenario({
  name: "storm",
  title: "Those connected while others connect",
  question: "What do new TLS connections cost the clients that are connected already?",
  // Plain sockets are always measured. New users that create one of these clients are further cases.
  clients: "warmline,ioredis",
  fixed: ["rtt", "tls"],
  defaults: { rounds: [1, 1], seconds: [1.5, 0.5] },
  missing: redisMissing,
  cases: async ({ clients, defer, record }) => {
    record({ rttMs: 0, tls: true, connected: CONNECTED, newPerS: RATES.join(", ") });
    const certificate = makeCertificate();
    defer(() => certificate.remove());
    const [here, there] = [await startServers(certificate, defer), await startServers(certificate, defer)];
    const trust = { NODE_EXTRA_CA_CERTS: certificate.caFile };
    const storms = (Object.keys(WAYS) as Way[]).flatMap((way): Storm[] => [
      { way, perS: 0 },
      { way, perS: MOST, elsewhere: true },
      ...RATES.map((perS) => ({ way, perS })),
      ...clients
        .filter(({ protocol }) => (protocol === "tcp") === (way === "direct"))
        .map((client) => ({ way, perS: MOST, client })),
    ]);
    return storms.map((storm) => ({ ...storm, here, there, trust }));
  },
  label: (each) => `${WAYS[each.way]}, ${titleOf(each)}`,
  run: async ({ here, there, trust, way, perS, elsewhere, client }, { settings: { seconds }, defer }) => {
    const at = elsewhere ? there : here;
    const instances = [startUsers(here, trust), ...(perS > 0 ? [startUsers(at, trust, client)] : [])];
    const [users, arriving] = await allEnded(instances.map((starting) => started(starting, defer)));
    const connected = { target: here.targets[way], clients: CONNECTED, reconnect: false };
    await work(users!, { ...connected, seconds: LEAD_S });
    const before = at.proxies[way].connectionsOpened;
    const arrivals =
      arriving &&
      work(arriving, {
        ...(!client && { target: { ...at.targets[way], port: at.proxies[way].port } }),
        ...{ clients: 0, reconnect: true, newPerS: perS, seconds: seconds + 2 * LEAD_S },
      });
    await pause(LEAD_S * 1_000);
    const { latencies, elapsedMs } = await work(users!, { ...connected, seconds });
    const served = await arrivals;
    return {
      latencies,
      tps: (latencies.length * 1_000) / elapsedMs,
      served: served?.latencies.length ?? 0,
      opened: at.proxies[way].connectionsOpened - before,
    };
  },
  report: (rows, { settings }) => {
    const machine = (way: Way) => rows.find((row) => row.way === way && row.elsewhere)!;
    const created = rows.filter(({ client }) => client?.protocol === "http");
    return {
      checks: created.map(({ client, opened, served }) =>
        exactly(
          `${client!.label} created in each call uses the connections of calls before`,
          opened.total * 10 < served.total,
          `${count(opened.total)} connections for ${count(served.total)} calls`,
        ),
      ),
      ...tabulate(rows, { group: ({ way }) => way, charts: ["commands/s of those connected"] }, [
        ["connected", ({ way }) => WAYS[way]],
        ["who arrives", titleOf],
        ...meanColumns({ tps: "commands/s of those connected" }),
        ["of that with arrivals elsewhere", ({ way, tps }) => ratio(tps, machine(way).tps, mean)],
        ...latencyColumns("latencies", 3),
        ["arrived", ({ served }) => served.total],
        ["connections opened", ({ opened }) => opened.total],
      ]),
      notes: [
        `${CONNECTED} users are connected with TLS and run one GET after another for ${settings.seconds} s. Others arrive at the given rate, whether or not those before have been served: each connects with TLS, runs one GET and leaves. Redis and the gateway do TLS themselves, on one machine with the users and without a round trip.`,
        "Opening connections costs the machine's processors too. So the same connections are also opened to another server on it, and the column beside the throughput compares with that: below 1, the server's own work for new connections holds up those connected.",
        "A client that is created in each call: ioredis connects, and quits after its command. Clients over HTTP are not closed, as their documentation says, so that the next call finds the connection.",
      ],
    };
  },
});
