import { randomBytes } from "node:crypto";
import {
  findRedisServer,
  type Instance,
  NO_REDIS,
  startGatewayProcess,
  startInstance,
} from "warmline-testbed";
import { versionsOf } from "../available-clients.js";
import { ownHandler } from "../bench-client.js";
import type { Transactions, TransactionsEvent } from "../handlers/transactions.js";
import { spreadOf } from "../latencies.js";
import type { RawTarget } from "../raw.js";
import { buildReport, type Measurement, WAYS, type Way } from "../reconnect/report.js";
import type { Outcome } from "../result.js";
import { type Rig, startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import { GREETING } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";

const MANY = 16;
/** Interval in s of progress lines, as in pgbench. */
const PRINT_EVERY_S = 2;

/** Runs the pgbench experiment with GETs instead of SELECTs: static connections, one per command, and a pool. */
const reconnect: Scenario = {
  name: "reconnect",
  title: "Reconnecting for each command, with and without a pool",
  question:
    "How much throughput does a connection per command cost, and how much of it does the gateway's pool recover?",
  clients: [],
  order: 7,
  run: measure,
};

export default reconnect;

interface Case {
  readonly way: Way;
  readonly clients: number;
  readonly target: RawTarget;
  readonly runs: (Transactions & { readonly tps: number })[];
}

async function measure(settings: Settings): Promise<Outcome> {
  const seconds = settings.seconds ?? (settings.quick ? 1 : 10);
  const rounds = settings.rounds ?? (settings.quick ? 2 : 3);
  const redis = findRedisServer() !== undefined;
  const rig = await startRig({ ...settings, tls: true, redis });
  const closing: (() => Promise<unknown>)[] = [];
  try {
    await rig.command("SET", "greeting", GREETING);
    const targets = await targetsOf(rig, closing);
    const cases: Case[] = [1, MANY].flatMap((clients) =>
      targets.map(([way, target]) => ({ way, clients, target, runs: [] })),
    );
    await inRounds(
      settings,
      rounds,
      cases,
      ({ way, clients }) => `${clients} x ${WAYS[way]}`,
      async (each) => {
        const instance = await startInstance({
          handler: ownHandler("transactions"),
          env: rig.trust,
          timeoutMs: 120_000,
        });
        try {
          await drive(instance, each, 0.2);
          each.runs.push(await inStretches(instance, each, seconds, settings));
        } finally {
          await instance.stop();
        }
      },
    );
    const measured = cases.map(measuredOf);
    return {
      ...buildReport(measured),
      notes: [
        `Each client runs one GET after another over a plain socket for ${seconds} s in each of ${rounds} rounds, after 0.2 s that do not count. The round trip takes ${settings.rttMs} ms with TLS; direct connections to Redis authenticate with user and password. With the gateway next to the function the function reaches it over loopback without TLS, and the round trip lies between gateway and Redis.`,
        "Latency and standard deviation are those of the command alone. Connecting includes TCP, TLS and AUTH.",
        ...(redis
          ? []
          : [`Skipped: ${WAYS.static}, ${WAYS.reconnect}, ${WAYS["sidecar-reconnect"]}: ${NO_REDIS}.`]),
      ],
      settings: {
        seconds,
        rounds,
        clients: [1, MANY],
        rttMs: settings.rttMs,
        tls: true,
        engine: rig.engine,
        quick: settings.quick,
      },
      versions: versionsOf([]),
      data: measured,
    };
  } finally {
    for (const close of closing) await close();
    await rig.close();
  }
}

async function targetsOf(rig: Rig, closing: (() => Promise<unknown>)[]): Promise<[Way, RawTarget][]> {
  const { endpoint, redis } = rig;
  const port = Number(new URL(endpoint.url).port);
  const gateway: RawTarget = { port, tls: true, auth: { protocol: "http", token: endpoint.token } };
  const beside: [Way, RawTarget][] = [
    ["gateway-static", gateway],
    ["gateway-reconnect", gateway],
  ];
  if (!redis) return beside;
  const [user, password] = ["bench", randomBytes(16).toString("hex")];
  await redis.command("ACL", "SETUSER", user, "on", `>${password}`, "~*", "+@all");
  const straight: RawTarget = { ...endpoint.tcp!, auth: { protocol: "redis", user, password } };
  const sidecar = await startGatewayProcess({
    args: ["--redis", `rediss://${user}:${password}@127.0.0.1:${endpoint.tcp!.port}`],
    env: rig.trust,
  });
  closing.push(() => sidecar.stop());
  const { token } = sidecar;
  return [
    ["static", straight],
    ["reconnect", straight],
    ...beside,
    ["sidecar-reconnect", { port: sidecar.port, tls: false, auth: { protocol: "http", token } }],
  ];
}

/** Drives the clients for `seconds` and prints their rate every {@link PRINT_EVERY_S} s. */
async function inStretches(
  instance: Instance,
  each: Case,
  seconds: number,
  { progress }: Settings,
): Promise<Case["runs"][number]> {
  const parts: Transactions[] = [];
  for (let left = seconds; left > 0; left -= PRINT_EVERY_S) {
    const part = await drive(instance, each, Math.min(left, PRINT_EVERY_S));
    parts.push(part);
    const { mean, deviation } = spreadAround(part.latencies);
    const rate = (part.latencies.length / part.elapsedMs) * 1_000;
    progress.print(`${rate.toFixed(1)} tps, lat ${mean.toFixed(3)} ms stddev ${deviation.toFixed(3)}`);
  }
  const elapsedMs = parts.reduce((sum, part) => sum + part.elapsedMs, 0);
  const latencies = parts.flatMap((part) => part.latencies);
  return {
    latencies,
    elapsedMs,
    connectingMs: parts.reduce((sum, part) => sum + part.connectingMs, 0),
    tps: (latencies.length / elapsedMs) * 1_000,
  };
}

async function drive(
  instance: Instance,
  { way, target, clients }: Case,
  seconds: number,
): Promise<Transactions> {
  const event: TransactionsEvent = { target, clients, reconnect: way.endsWith("reconnect"), seconds };
  const { result, error } = await instance.invoke(event);
  if (error) throw new Error(`${WAYS[way]}: ${error.errorMessage}\n${instance.output}`);
  return (result as { body: Transactions }).body;
}

function measuredOf({ way, clients, runs }: Case): Measurement {
  const latencies = runs.flatMap((run) => run.latencies);
  const elapsed = runs.reduce((sum, run) => sum + run.elapsedMs, 0);
  const connecting = runs.reduce((sum, run) => sum + run.connectingMs, 0);
  const { mean, deviation } = spreadAround(latencies);
  return {
    way,
    clients,
    transactions: latencies.length,
    tps: spreadOf(runs.map(({ tps }) => tps)),
    tpsExcluding: (latencies.length / (elapsed - connecting / clients)) * 1_000,
    meanMs: mean,
    deviationMs: deviation,
  };
}

function spreadAround(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / values.length) };
}
