import { findRedisServer } from "warmline-testbed";
import { ownHandler } from "../bench-client.js";
import { Child } from "../child.js";
import { GatewayMetrics, type GatewaySample } from "../fleet/metrics.js";
import { buildReport, type Idle, type Measurement, type Phase, type Round } from "../flood/report.js";
import type { Crowd, CrowdMessage } from "../handlers/flood-crowd.js";
import type { RecordedPhase, UsersMessage, UsersResult } from "../handlers/flood-users.js";
import { versionOf } from "../machine.js";
import type { Outcome } from "../result.js";
import { type RigOptions, startRig } from "../rig.js";
import { GREETING } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";

const LIMITS = { softLimit: 900, hardLimit: 1_000 };
/** The flood: number of connections, and the time in ms over which they open. */
const FLOOD = { connections: 2 * LIMITS.hardLimit, overMs: 10_000, everyMs: 500 };
/** Connections that are in use all the time. */
const USERS = { users: 20, everyMs: 10 };
const IDLE = { connections: 5_000, overMs: 5_000, everyMs: null };
/** Warm-up in ms before recording, until the gateway's code is compiled. */
const WARM_UP_MS = 3_000;
/** Timeout in ms for the flood's connections to close. */
const EBB_MS = 10_000;

/** Opens more connections than the gateway's hard limit allows, while others are in use. */
const flood: Scenario = {
  name: "flood",
  title: "A flood of connections",
  question: "How do active clients fare when twice as many connections arrive as the gateway allows?",
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
        `${USERS.users} active connections, in a separate process, send a GET ${USERS.everyMs / 2} to ${1.5 * USERS.everyMs} ms after each response during all rounds. Each round records their latencies for ${quietMs / 1_000} s, then for ${FLOOD.overMs / 1_000} s while another process opens ${FLOOD.connections} connections at an even rate, then for ${quietMs / 1_000} s after these are closed.`,
        `Each new connection sends a GET every ${FLOOD.everyMs / 1_000} s, so that none is idle and can be evicted. A refused connection is not retried. Limits: soft ${LIMITS.softLimit}, hard ${LIMITS.hardLimit}.`,
        "Ratios are computed per round; the median is shown. Percentile curves cover all rounds. Clients, gateway and Redis share the processors.",
        `A separate gateway with default limits holds the ${IDLE.connections} idle connections. Each has received one response and sends one more request at the end.`,
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
  const limits = [
    "--soft-max-connections",
    String(LIMITS.softLimit),
    "--max-connections",
    String(LIMITS.hardLimit),
  ];
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

/** Returns the gateway's counts once only active connections are left, or after {@link EBB_MS}. */
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
