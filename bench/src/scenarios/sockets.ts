import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "warmline";
import {
  findRedisServer,
  NO_REDIS,
  type RedisCluster,
  startCluster,
  startGatewayProcess,
} from "warmline-testbed";
import { versionOf } from "../machine.js";
import { randomFrom, shuffled } from "../random.js";
import type { Outcome } from "../result.js";
import type { Scenario, Settings } from "../scenario.js";
import { type Counts, kernelMissing, SocketCounter } from "../sockets/kernel.js";
import { buildReport, type Measurement, WAYS, type Way } from "../sockets/report.js";
import { requestToCluster, requestToGateway } from "../sockets/request.js";

const REQUESTS_PER_S = 50;
const COMMANDS = 10;
const SAMPLE_MS = 250;

/** Sends web requests at a fixed rate, each with some commands for a six-node cluster, and counts the sockets left in the kernel. */
const sockets: Scenario = {
  name: "sockets",
  title: "Sockets in TIME_WAIT",
  question:
    "How many sockets are in TIME_WAIT if each request connects to a cluster directly, and how many through the gateway?",
  clients: [],
  order: 8,
  missing: () => kernelMissing() ?? (findRedisServer() ? undefined : NO_REDIS),
  run: measure,
};

export default sockets;

async function measure(settings: Settings): Promise<Outcome> {
  const seconds = settings.seconds ?? (settings.quick ? 5 : 30);
  const cluster = await startCluster();
  try {
    const keys = Array.from({ length: 1_000 }, (_, index) => `page:${index}`);
    const measured: Measurement[] = [];
    const ways = shuffled(Object.keys(WAYS) as Way[], randomFrom(settings.seed));
    for (const [index, way] of ways.entries()) {
      measured.push(await run(cluster, way, keys, seconds, settings, (done) => (index + done) / ways.length));
    }
    measured.sort((a, b) => Object.keys(WAYS).indexOf(a.way) - Object.keys(WAYS).indexOf(b.way));
    return {
      ...buildReport(measured),
      notes: [
        `${REQUESTS_PER_S} requests per second for ${seconds} s, each with ${COMMANDS} GETs one after another, against a cluster of three primaries and three replicas on loopback. Sockets are counted every ${SAMPLE_MS} ms in /proc/net/tcp: a server's port shows the side of a socket. Sockets of earlier runs are excluded.`,
        "With the gateway the connections on both of its sides are counted: from clients to the gateway and from the gateway to the cluster.",
        "On Linux a socket stays in TIME_WAIT for 60 s at the side that closed first, so the count grows during the first 60 s.",
      ],
      settings: {
        seconds,
        requestsPerSecond: REQUESTS_PER_S,
        commandsPerRequest: COMMANDS,
        nodes: cluster.nodes.length,
        rttMs: 0,
        tls: false,
        engine: "redis-server, a cluster of six",
        quick: settings.quick,
      },
      versions: { warmline: versionOf("warmline"), "warmline-gateway": versionOf("warmline-gateway") },
      data: measured,
    };
  } finally {
    await cluster.stop();
  }
}

async function run(
  cluster: RedisCluster,
  way: Way,
  keys: readonly string[],
  seconds: number,
  settings: Settings,
  doneOf: (part: number) => number,
): Promise<Measurement> {
  const random = randomFrom(settings.seed);
  // Before the gateway connects to the cluster: what it keeps open there counts.
  const counter = new SocketCounter(new Set(cluster.nodes.map(({ port }) => port)));
  const gateway =
    way === "cluster" ? undefined : await startGatewayProcess({ args: ["--redis", cluster.url] });
  if (gateway) counter.ports.add(gateway.port);
  const redis = gateway && new Redis({ url: gateway.url, token: gateway.token, enableAutoPipelining: false });
  const request = async () => {
    const own = Array.from({ length: COMMANDS }, () => keys[Math.floor(random() * keys.length)]!);
    if (way === "cluster") await requestToCluster(cluster.nodes[0]!.port, own);
    else if (way === "gateway-request") await requestToGateway(gateway!.port, gateway!.token, own);
    else for (const key of own) await redis!.get(key);
  };
  try {
    await request();
    const samples: (Counts & { atS: number })[] = [];
    const begunAt = performance.now();
    const spent = () => (performance.now() - begunAt) / 1_000;
    const sample = () => samples.push({ atS: spent(), ...counter.count() });
    const sampling = setInterval(sample, SAMPLE_MS);
    const took: number[] = [];
    let failed = 0;
    const running: Promise<void>[] = [];
    for (let n = 0; n < REQUESTS_PER_S * seconds; n++) {
      await pause(Math.max(0, begunAt + (n * 1_000) / REQUESTS_PER_S - performance.now()));
      const startedAt = performance.now();
      running.push(
        request().then(
          () => void took.push(performance.now() - startedAt),
          () => void failed++,
        ),
      );
      settings.progress.step(doneOf(spent() / seconds) * 100, 100, WAYS[way]);
    }
    await Promise.all(running);
    // The last ones are still closing.
    await pause(SAMPLE_MS);
    clearInterval(sampling);
    sample();
    const most = (what: keyof Counts) => Math.max(...samples.map((each) => each[what]));
    return {
      way,
      requests: took.length + failed,
      failed,
      meanMs: took.reduce((sum, each) => sum + each, 0) / Math.max(1, took.length),
      samples,
      peak: {
        clientTimeWait: most("clientTimeWait"),
        clientEstablished: most("clientEstablished"),
        serverTimeWait: most("serverTimeWait"),
        serverEstablished: most("serverEstablished"),
      },
    };
  } finally {
    redis?.close();
    await gateway?.stop();
  }
}
