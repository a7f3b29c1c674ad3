import { type Duplex, duplexPair } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Log } from "../../../../gateway/src/log/log.js";
import { ChangeTracker } from "../../../../gateway/src/near/change-tracker.js";
import type { Sharding } from "../../../../gateway/src/redis/cluster/sharding.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import type { ConnectionOptions } from "../../../../gateway/src/redis/upstream.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { commandsIn } from "../redis/fake-cluster.js";

/** One connection at the server: the commands that it has received, and its side. */
interface Connection {
  readonly side: Duplex;
  readonly received: string[];
}

let tracker: ChangeTracker;
let connections: Connection[] = [];
let log: string[] = [];
const record = (message: string) => log.push(message);
const recorded = { debug: record, warn: record } as never as Log;
/** Returns the reply to a command; undefined if there is none yet. */
let reply: (name: string, connection: Connection) => string | undefined;
let connectionOptions: ConnectionOptions;

const REPLIES: Record<string, string> = { PING: "+PONG", HELLO: "%0", CLIENT: "+OK" };
/** Lets streams and promises run. */
const settle = () => vi.advanceTimersByTimeAsync(0);
/** The connection that is open now. */
const latest = () => connections.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  connections = [];
  log = [];
  reply = (name) => REPLIES[name];
  const connect = () => {
    const [near, far] = duplexPair();
    const connection: Connection = { side: far, received: [] };
    connections.push(connection);
    far.on("data", (chunk: Buffer) => {
      for (const [name] of commandsIn(chunk)) {
        connection.received.push(name!);
        const text = reply(name!, connection);
        if (text) far.write(`${text}\r\n`);
      }
    });
    return near;
  };
  connectionOptions = {
    ...{ connect, handshake: [command("PING")], connectTimeout: 5_000, timeout: 5_000 },
    ...{ maxReplySize: 1_000, counters: newCounters() },
  };
  const upstream = { connectionOptions, sharding: null };
  tracker = new ChangeTracker(upstream, ["a"], recorded);
  tracker.open();
});
afterEach(() => {
  tracker.close();
  vi.useRealTimers();
});

test("PING is sent once a second while sessions are used, and not before a new one has begun", async () => {
  await settle();
  expect(tracker.use()).not.toBeNull();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(latest().received.filter((name) => name === "PING").length).toBeGreaterThanOrEqual(4);
  // The next server takes two seconds for the handshake, and then does not track changes.
  let handshakes = 0;
  reply = (name, { side }) => {
    if (name === "CLIENT") return "-LOADING Redis is loading the dataset in memory";
    if (name !== "PING" || handshakes++ > 0) return REPLIES[name];
    setTimeout(() => side.write("+PONG\r\n"), 2_000);
    return undefined;
  };
  latest().side.end();
  await vi.advanceTimersByTimeAsync(1_900);
  expect(connections).toHaveLength(2);
  expect(latest().received).toEqual(["PING"]);
  await vi.advanceTimersByTimeAsync(200);
  expect(connections[1]!.received).toEqual(["PING", "HELLO", "CLIENT"]);
  expect(tracker.use()).toBeNull();
});

test("an error in place of a reply to PING confirms nothing, since earlier changes may still be to come", async () => {
  await settle();
  const session = tracker.use()!;
  await settle();
  reply = () => "-BUSY Redis is busy running a script.";
  const confirmed = session.confirm();
  await settle();
  expect(await confirmed).toBe(false);
  expect(tracker.use()).toBeNull();
  reply = (name) => REPLIES[name];
  await vi.advanceTimersByTimeAsync(1_000);
  const later = tracker.use()!;
  expect(later.tableOf("").epoch).not.toBe(session.tableOf("").epoch);
  expect(await later.confirm()).toBe(true);
  expect(log).toEqual(["changes of keys are not tracked: it replied BUSY Redis is busy running a script."]);
});

test("a user that may not run PING gets no reports, which the log says once", async () => {
  reply = (name, { received }) =>
    name === "PING" && received.length > 1
      ? "-NOPERM this user has no permissions to run the 'ping' command"
      : REPLIES[name];
  await vi.advanceTimersByTimeAsync(130_000);
  expect(tracker.use()).toBeNull();
  expect(connections).toHaveLength(3);
  expect(log.filter((message) => message.includes("can't be tracked"))).toEqual([
    expect.stringContaining("NOPERM"),
  ]);
});

test("a cluster is tracked once its nodes list the same primaries", async () => {
  const line = (id: string, slots: string) => `${id} 127.0.0.1:1@2,, master - 0 0 1 connected ${slots}\n`;
  const promoted = line("c", "0-8191") + line("b", "8192-16383");
  const former = line("a", "0-8191") + line("b", "8192-16383");
  const bulk = (text: string) => `$${text.length}\r\n${text}`;
  const lists: Record<string, string> = { a: promoted, b: former };
  const names = new Map<Connection, string>();
  const sharding: Partial<Sharding> = {
    primaries: () => ["a", "b"],
    connectionOptions: (name) => ({
      ...connectionOptions,
      connect: () => {
        const near = connectionOptions.connect();
        names.set(latest(), name);
        return near;
      },
    }),
    primariesListedBy: async () => ["a", "b"],
    suspect: () => {},
  };
  reply = (name, connection) => (name === "CLUSTER" ? bulk(lists[names.get(connection)!]!) : REPLIES[name]);
  tracker.close();
  const upstream = { connectionOptions, sharding: sharding as Sharding };
  tracker = new ChangeTracker(upstream, ["a"], recorded);
  tracker.open();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tracker.use()).toBeNull();
  expect(log.at(-1)).toContain("the nodes of the cluster list different primaries");
  lists.b = promoted;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(tracker.use()).not.toBeNull();
});
