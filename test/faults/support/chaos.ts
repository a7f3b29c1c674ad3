import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Redis, type WarmlineError } from "warmline";
import { pause } from "./rig.js";

/** Faults of the network. */
export interface Chaos {
  /** Ports of the gateways. Each connection leads to one of them in turn. */
  readonly to: readonly number[];
  /** Returns numbers from 0 to 1. */
  readonly next: () => number;
  /** Whether replies are lost, and requests reset, delayed and repeated. Flows that were idle for a second are dropped anyway. */
  readonly disturbs: boolean;
  /** Whether responses lose the header by which a gateway offers numbers, so that writes are sent without. */
  readonly masks: boolean;
}

export interface ChaoticPath {
  readonly url: string;
  close(): Promise<void>;
}

const MASKED = { from: "Warmline-Instance", to: "Xarmline-Instance" };

/** Starts a TCP proxy that does damage. */
export async function startChaoticPath({ to, next, disturbs, masks }: Chaos): Promise<ChaoticPath> {
  const sockets = new Set<Socket>();
  let turn = Math.floor(next() * to.length);
  const open = () => {
    const socket = connect({ port: to[turn++ % to.length]!, host: "127.0.0.1", noDelay: true });
    sockets.add(socket);
    return socket.on("error", () => {});
  };
  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    const gateway = open();
    let usedAt = performance.now();
    // Nothing arrives from now on, and neither side is told.
    let isDropped = false;
    let loses: "" | "reset" | "silent" = "";
    const dropsIdle = next() < 0.5;
    const later = (ms: number, then: () => void) => void setTimeout(then, ms);
    const write = (bytes: Buffer) => gateway.destroyed || gateway.write(bytes);
    client.on("error", () => {});
    client.on("data", (bytes) => {
      const idle = performance.now() - usedAt;
      usedAt = performance.now();
      if (dropsIdle && idle > 1_000) {
        isDropped = true;
        // Some come through late.
        if (disturbs && next() < 0.5) later(50 + next() * 1_500, () => write(bytes));
      }
      if (isDropped) return;
      const dice = disturbs ? next() : 1;
      if (dice < 0.06) {
        loses = dice < 0.04 ? "reset" : "silent";
        write(bytes);
      } else if (dice < 0.08) {
        client.resetAndDestroy();
        gateway.destroy();
      } else if (dice < 0.11) {
        client.resetAndDestroy();
        later(next() * 1_000, () => write(bytes));
      } else if (dice < 0.15) {
        // On a connection of its own, before or after.
        const copy = open();
        const isFirst = next() < 0.5;
        copy.on("connect", () => later(isFirst ? 0 : next() * 300, () => copy.write(bytes)));
        later(3_000, () => copy.destroy());
        later(isFirst ? next() * 50 : 0, () => write(bytes));
      } else if (dice < 0.2) later(20 + next() * 600, () => write(bytes));
      else write(bytes);
    });
    gateway.on("data", (bytes) => {
      if (isDropped) return;
      usedAt = performance.now();
      if (loses === "reset") {
        client.resetAndDestroy();
        gateway.destroy();
      } else if (loses === "silent") isDropped = true;
      else client.write(masks ? bytes.toString("latin1").replace(MASKED.from, MASKED.to) : bytes, "latin1");
    });
    // What was sent before the client closed still arrives.
    client.on("close", () => later(2_000, () => gateway.destroy()));
    gateway.on("close", () => isDropped || client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The calls of a client, each an increment of a key of its own. */
export interface Tally {
  keys: number;
  unknown: number;
  /** Keys whose counter is above 1. */
  readonly doubled: string[];
  /** Keys whose call resolved unapplied, or with another value than 1, or was applied though it rejected as unsent. */
  readonly wrong: string[];
}

let clients = 0;

interface Result {
  readonly value?: unknown;
  readonly outcome?: string;
}

/** Makes calls of all kinds, half of them after an idle second, and compares their results with what `direct` finds. */
export async function increment(
  url: string,
  token: string,
  direct: Redis,
  next: () => number,
  rounds: number,
) {
  const redis = new Redis({ url, token, timeout: 2_000, circuit: false });
  const prefix = `chaos:${++clients}:`;
  const results = new Map<string, Result>();
  const note = async (key: string, call: Promise<unknown>) => {
    await call.then(
      (value) => results.set(key, { value }),
      (error: WarmlineError) => results.set(key, { outcome: error.outcome ?? "aborted" }),
    );
  };
  const create = () => `${prefix}${results.size + pending++}`;
  let pending = 0;
  for (let i = 0; i < 4; i++) await redis.get("warm").catch(() => {});
  for (let round = 0; round < rounds; round++) {
    const kind = next();
    pending = 0;
    const [a, b] = [create(), create()] as const;
    if (kind < 0.5) await note(a, redis.incr(a));
    else if (kind < 0.65)
      await Promise.all([note(a, redis.incr(a)), redis.get("warm").catch(() => {}), note(b, redis.incr(b))]);
    else if (kind < 0.75) {
      const done = redis.pipeline().incr(a).get("warm").incr(b).exec({ keepErrors: true });
      const nth = async (at: number) => {
        const { result, error } = (await done)[at] as { result?: unknown; error?: Error };
        if (error) throw error;
        return result;
      };
      await Promise.all([note(a, nth(0)), note(b, nth(2))]);
    } else if (kind < 0.85) {
      const done = redis.multi().incr(a).incr(b).exec();
      await Promise.all([
        note(
          a,
          done.then(([value]) => value),
        ),
        note(
          b,
          done.then(([, value]) => value),
        ),
      ]);
    } else if (kind < 0.92)
      await note(a, redis.with({ signal: AbortSignal.timeout(Math.ceil(next() * 30)) }).incr(a));
    else await Promise.all([a, b, create(), create()].map((key) => note(key, redis.with({}).incr(key))));
    if (next() < 0.45) await pause(1_050 + next() * 300);
  }
  // Late copies arrive.
  await pause(2_000);
  const tally: Tally = { keys: results.size, unknown: 0, doubled: [], wrong: [] };
  for (const [key, { value, outcome }] of results) {
    const count = Number((await direct.get(key)) ?? 0);
    if (outcome === "unknown") tally.unknown++;
    if (count > 1) tally.doubled.push(key);
    if (outcome === undefined && (value !== 1 || count === 0)) tally.wrong.push(`${key}: ${value}, ${count}`);
    if (outcome === "unsent" && count > 0) tally.wrong.push(`${key}: unsent, ${count}`);
  }
  redis.close();
  return tally;
}
