import { findRedisServer } from "warmline-testbed";
import { ownHandler } from "../bench-client.js";
import { Child } from "../child.js";
import { GatewayMetrics, type GatewaySample } from "../fleet/metrics.js";
import { buildReport, type Idle, type Measurement, type Phase, type Round } from "../flood/report";
import type { Crowd, CrowdMessage } from "../handlers/flood-crowd.js";
import type { RecordedPhase, UsersMessage, UsersResult } from "../handlers/flood-users.js";
import { versionOf } from "../machine.js";
import type { Outcome } from "../result.js";
import { type RigOptions, startRig } from "../rig.js";
import { GREETING } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";

const LIMITS = { softLimit: 900, hardLimit: 1_000 };
/** Connections that come, and over how long. */
const FLOOD = { connections: 2 * LIMITS.hardLimit, overMs: 10_000, everyMs: 500 };
/** Connections that are in use all the time. */
const USERS = { users: 20, everyMs: 10 };
const IDLE = { connections: 5_000, overMs: 5_000, everyMs: null };
/** How long the gateway is used before anything is recorded, in ms: until its code is compiled. */
const WARM_UP_MS = 3_000;
/** How long connections may take to be gone after the flood, in ms. */
const EBB_MS = 10_000;

/** More connections come than the gateway's hard limit allows, while others are in use. */
const flood: Scenario = {
  name: "flood",
  title: "A flood of connections",
  question: "What do clients notice when twice as many connections come as the gateway may hold?",
  clients: [],
  order: 9.5,
  run: measure,
};

export default flood;

async function measure(settings: Settings): Promise<Outcome> {
  const rounds = settings.rounds ?? (settings.quick ? 1 : 7);
  const quietMs = (settings.seconds ?? (settings.quick ? 4 : 10)) * 1_000;
  const rig: RigOptions = {
    rttMs: 0,
    tls: false,
    engine: settings.engine,
    redis: findRedisServer() !== undefined,
  };
  const users = await startChild<UsersMessage>("flood-users");
  const crowd = await startChild<CrowdMessage>("flood-crowd");
  try {
    settings.progress.step(0, rounds + 1, `${IDLE.connections} idle connections`);
    const idle = await holdIdle(rig, crowd);
    const { engine, ...flooded } = await withLimits(rig, async (address, metrics) => {
      await users.request({ start: { ...address, ...USERS } });
      await pause(WARM_UP_MS);
      const all: Round[] = [];
      for (let round = 0; round < rounds; round++) {
        settings.progress.step(round + 1, rounds + 1, `round ${round + 1} of ${rounds}`);
        all.push(await floodOnce(users, crowd, address, metrics, quietMs));
      }
      return { rounds: all, users: await users.request<UsersResult>({ end: true }) };
    });
    const measured: Measurement = { ...flooded, idle, hardLimit: LIMITS.hardLimit, inUse: USERS.users };
    return {
      ...buildReport(measured),
      notes: [
        `${USERS.users} connections, in a process of their own, send a GET ${USERS.everyMs / 2} to ${1.5 * USERS.everyMs} ms after each answer from the first round to the last. Each round records their times for ${quietMs / 1_000} s, then for the ${FLOOD.overMs / 1_000} s in which ${FLOOD.connections} connections come evenly from another process, then for ${quietMs / 1_000} s after they have gone.`,
        `Each connection that comes sends a GET every ${FLOOD.everyMs / 1_000} s, so that none is idle and may be closed for another; one that is refused does not come again. Limits: soft ${LIMITS.softLimit}, hard ${LIMITS.hardLimit}.`,
        "Ratios are those of each round, of which the median is shown; percentile curves are over all rounds. Clients, gateway and Redis share the processors.",
        `The idle connections are ${IDLE.connections} to a gateway of its own with the usual limits; each has had one answer, and is used once more at the end.`,
      ],
      settings: {
        rttMs: rig.rttMs,
        tls: rig.tls,
        rounds,
        quietMs,
        ...LIMITS,
        flood: FLOOD,
        users: USERS,
        idle: IDLE,
        engine,
        quick: settings.quick,
      },
      versions: { "warmline-gateway": versionOf("warmline-gateway") },
      data: measured,
    };
  } finally {
    users.stop();
    crowd.stop();
  }
}

type MessageChild<Message> = { request<T>(message: Message): Promise<T>; stop(): void };
type Address = { readonly port: number; readonly token: string };

function startChild<Message>(handler: string): Promise<MessageChild<Message>> {
  return Child.start([process.execPath, ownHandler(handler)]);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `use` with a gateway in front of a Redis of its own. */
async function withGateway<T>(
  options: RigOptions,
  use: (address: Address, metrics: GatewayMetrics) => Promise<T>,
): Promise<T & { engine: string }> {
  const rig = await startRig(options);
  const { url, port, token } = rig.gateway;
  const metrics = new GatewayMetrics(url, token);
  try {
    await rig.command("SET", "greeting", GREETING);
    return { ...(await use({ port, token }, metrics)), engine: rig.engine };
  } finally {
    metrics.close();
    await rig.close();
  }
}

const withLimits: typeof withGateway = (options, use) => {
  const limits = ["--soft-limit", String(LIMITS.softLimit), "--hard-limit", String(LIMITS.hardLimit)];
  return withGateway({ ...options, gatewayArgs: limits }, use);
};

async function floodOnce(
  users: MessageChild<UsersMessage>,
  crowd: MessageChild<CrowdMessage>,
  address: Address,
  metrics: GatewayMetrics,
  quietMs: number,
): Promise<Round> {
  const record = (phase: Phase, forMs: number) => users.request<RecordedPhase>({ record: phase, forMs });
  const before = await metrics.sample();
  const quiet = await record("quiet", quietMs);
  const [during] = await Promise.all([
    record("flood", FLOOD.overMs),
    crowd.request({ come: { ...address, ...FLOOD } }),
  ]);
  const high = await metrics.sample();
  const came = await crowd.request<Crowd>({ go: true });
  const low = await ebbed(metrics);
  const after = await record("after", quietMs);
  const end = await metrics.sample();
  return {
    recorded: { quiet, flood: during, after },
    crowd: came,
    open: { flood: high.open, after: low.open },
    memoryMb: { quiet: before.memoryMb, flood: high.memoryMb, after: end.memoryMb },
    upstream: high.upstream,
  };
}

/** The gateway's numbers once only those in use are left, or when that has taken too long. */
async function ebbed(metrics: GatewayMetrics): Promise<GatewaySample> {
  const deadline = performance.now() + EBB_MS;
  for (;;) {
    const sample = await metrics.sample();
    if (sample.open <= USERS.users || performance.now() > deadline) return sample;
    await pause(100);
  }
}

async function holdIdle(options: RigOptions, crowd: MessageChild<CrowdMessage>): Promise<Idle> {
  const { engine: _, ...idle } = await withGateway(options, async (address, metrics) => {
    const before = await metrics.sample();
    await crowd.request({ come: { ...address, ...IDLE } });
    await pause(1_000);
    const held = await metrics.sample();
    const { answered } = await crowd.request<{ answered: number }>({ callOnce: true });
    await crowd.request({ go: true });
    return {
      wanted: IDLE.connections,
      open: held.open,
      upstream: held.upstream,
      answered,
      memoryMb: { before: before.memoryMb, after: held.memoryMb },
    };
  });
  return idle;
}
