import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectRedis, startGatewayProcess, startRedis } from "warmline-testbed";
import { sharedByTests } from "../support/lifetime.js";

// Messages to many readers, and what they cost the other clients of the gateway.

const READERS = 480;
const PER_SECOND = 50;
const BYTES = 2_048;
/** Length of each measurement in ms. */
const DURATION = 3_000;
/** Measurements beside the bare program, and as many beside the gateway, in turn. */
const ROUNDS = 3;
/** How many times as long GETs may take during a fan-out by the gateway as during one by a bare program, in the same run. */
const TIMES = 2;
/** What other programs of the machine may add, in ms. */
const NOISE = 50;

/** The longest wait in ms until messages under way have arrived. */
const ARRIVAL = 20_000;

const TOKENS = "[{name: readers, token: r}, {name: other, token: o}]";

const redis = sharedByTests(() => startRedis({ listen: "tcp" }));
const publisher = sharedByTests(() => connectRedis({ port: redis.port! }));
const gateway = sharedByTests(() =>
  startGatewayProcess({ args: ["--redis", redis.url, `--tokens=${TOKENS}`] }),
);
const children: ChildProcess[] = [];
const agent = new Agent({ keepAlive: true });

beforeAll(() => redis.command("SET", "small", "s"));
afterAll(() => {
  for (const child of children) child.disconnect();
  agent.destroy();
});

function start(...args: (string | number)[]): ChildProcess {
  const child = fork(fileURLToPath(new URL("./fan-out.mjs", import.meta.url)), args.map(String));
  children.push(child);
  return child;
}

/** Opens connections that read. Resolves when each has read something. */
async function read(port: number, count: number, text: string): Promise<ChildProcess> {
  const child = start("readers");
  child.send({ port, count, text });
  await new Promise<void>((resolve) => {
    const onMessage = ({ open }: { open?: number }) => {
      if (open !== count) return;
      child.off("message", onMessage);
      resolve();
    };
    child.on("message", onMessage);
  });
  return child;
}

interface Counts {
  readonly messages: number;
  readonly late: number;
  readonly gaps: number;
}

/** What the readers of a process have got since the last call. */
async function countOf(child: ChildProcess): Promise<Counts> {
  child.send({});
  return (await once(child, "message"))[0];
}

/**
 * Waits until the readers of a process have all messages, or a `gap` in place of some, and returns what they have got. On a busy
 * machine this may take a while.
 */
async function arrived(child: ChildProcess, expected: number): Promise<Counts> {
  const all = { messages: 0, late: 0, gaps: 0 };
  for (const end = performance.now() + ARRIVAL; performance.now() < end; ) {
    await setTimeout(200);
    const { messages, late, gaps } = await countOf(child);
    all.messages += messages;
    all.late += late;
    all.gaps += gaps;
    // After a gap nobody knows how many are to come: none for a while is the end.
    if (all.messages >= expected || (all.gaps > 0 && messages === 0)) break;
  }
  return all;
}

const portOf = () => Number(new URL(gateway.url).port);
const subscription = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** Sends a GET with another token. Returns the ms until its response has ended. */
function timeOfGet(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const options = { method: "POST", agent, headers: { authorization: "Bearer o" } };
    const req = request(gateway.url, options, (res) => {
      res.resume().on("error", reject);
      res.on("end", () => resolve(performance.now() - began));
    });
    req.on("error", reject).end(JSON.stringify(["GET", "small"]));
  });
}

/** Sends GETs with another token for a while. Returns their number, and what 99 % of them take at most, in ms. */
async function get(duration = DURATION): Promise<{ count: number; p99: number }> {
  const times: number[] = [];
  for (const end = performance.now() + duration; performance.now() < end; ) {
    times.push(await timeOfGet());
    await setTimeout(5);
  }
  times.sort((one, other) => one - other);
  return { count: times.length, p99: times[Math.floor(times.length * 0.99)]! };
}

const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[values.length >> 1]!;

/** Publishes messages at a rate, as a program beside the gateway does. Returns a function that stops and tells their number. */
function publish(channel: string, perSecond: number): () => Promise<number> {
  const began = performance.now();
  let sent = 0;
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) * perSecond) / 1_000);
    for (; sent < due; sent++)
      last = publisher.command("PUBLISH", channel, `@${Date.now()}#`.padEnd(BYTES, "x"));
  }, 5);
  return async () => {
    clearInterval(timer);
    await last;
    return sent;
  };
}

test("messages to 480 readers arrive, and another token's GETs take at most about twice as long as beside a bare program", async () => {
  const bare = start("bare", BYTES);
  const [{ port }] = await once(bare, "message");
  await read(port, READERS, "hello");
  const readers = await read(portOf(), READERS, subscription("/subscribe/news", "r"));
  const besides: number[] = [];
  const rates = [];
  for (const times of [...Array(ROUNDS).fill(1), 2, 4]) {
    bare.send(times === 1 ? PER_SECOND : 0);
    if (times === 1) besides.push((await get()).p99);
    bare.send(0);
    const stop = publish("news", PER_SECOND * times);
    const during = await get();
    const sent = await stop();
    const { messages, late, gaps } = await arrived(readers, sent * READERS);
    rates.push({
      times,
      sent,
      ...during,
      share: (messages - late) / (sent * READERS),
      lost: sent * READERS - messages,
      gaps,
    });
  }
  const beside = median(besides);
  console.info({ beside, of: besides, median: median(rates.slice(0, ROUNDS).map(({ p99 }) => p99)), rates });
  for (const { times, share, p99, lost, gaps } of rates) {
    if (times === 1) expect(share).toBeGreaterThan(0.95);
    expect(p99).toBeLessThan(TIMES * beside + NOISE);
    if (gaps === 0) expect(lost).toBe(0);
  }
}, 240_000);

test("a token whose patterns overlap loses only its own messages, and other tokens get theirs", async () => {
  // Each pattern matches the channel `flood`.
  const patterns = Array.from({ length: 1_000 }, (_, at) => `[f${at}]*`);
  const body = JSON.stringify({ psubscribe: patterns });
  const head = `POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer r\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await read(portOf(), 1, head);
  const others = await read(portOf(), 1, subscription("/subscribe/calm", "o"));
  const stop = publish("calm", 50);
  const flood = Array.from({ length: 1_000 }, () => publisher.command("PUBLISH", "flood", "x".repeat(100)));
  await Promise.all([...flood, get(3_000)]);
  const sent = await stop();
  const { messages, gaps } = await arrived(others, sent);
  expect({ messages, gaps }).toEqual({ messages: sent, gaps: 0 });
}, 120_000);
