import { type Duplex, duplexPair } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { Log } from "../../../../gateway/src/log/log.js";
import { Reachability } from "../../../../gateway/src/redis/reachability.js";
import { redisAt } from "../../../../gateway/src/redis/redis-url.js";
import type { Upstream, Upstreams } from "../../../../gateway/src/redis/upstream.js";
import { createUpstreams } from "../../../../gateway/src/redis/upstreams.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { lineOf } from "../../../../gateway/src/resp/replies.js";
import { resolveSettings } from "../../../../gateway/src/settings/options.js";
import { commandsIn, sent } from "./fake-cluster.js";

const READONLY = "-READONLY You can't write against a read only replica.";
const HANDSHAKE = ["PING", "INFO", "CLIENT", "AUTH"];

/** A server behind the address. */
class FakeServer {
  role = "master";
  isLoading = false;
  isBusy = false;
  /** Commands received, without those of handshakes. */
  readonly received: string[] = [];
  connections = 0;
  readonly sockets = new Set<Duplex>();
  /** Replies to other commands than writes and transactions. */
  reply: (args: readonly string[]) => string | null = () => "+OK";
  /** Sends a reply that was held back. */
  release = (_reply: string) => {};

  constructor(readonly id: string) {}

  connect(): Duplex {
    const [near, far] = duplexPair();
    this.connections++;
    this.sockets.add(near);
    near.once("close", () => this.sockets.delete(near));
    let isQueuing = false;
    let isRefused = false;
    far.on("data", (chunk: Buffer) => {
      for (const args of commandsIn(chunk)) {
        const [name = ""] = args;
        if (!HANDSHAKE.includes(name) && name !== "DISCARD") this.received.push(args.join(" "));
        let reply: string | null;
        if (this.isBusy) reply = "-BUSY Redis is busy running a script.";
        else if (name === "INFO") {
          const text = args[1] === "server" ? `run_id:${this.id}` : `role:${this.role}`;
          reply = args[1] === "cluster" ? "$17\r\ncluster_enabled:0" : `$${text.length}\r\n${text}`;
        } else if (this.isLoading) reply = "-LOADING Redis is loading the dataset in memory";
        else if (name === "SET" && this.role !== "master") {
          isRefused = true;
          reply = READONLY;
        } else if (name === "MULTI" || name === "DISCARD") {
          isQueuing = name === "MULTI";
          isRefused = false;
          reply = "+OK";
        } else if (name === "EXEC") {
          isQueuing = false;
          reply = isRefused
            ? "-EXECABORT Transaction discarded because of previous errors."
            : `*1\r\n+${this.id}`;
        } else if (isQueuing) reply = "+QUEUED";
        else reply = HANDSHAKE.includes(name) ? "+OK" : this.reply(args);
        if (reply !== null) far.write(`${reply}\r\n`);
        else this.release = (late) => void far.write(`${late}\r\n`);
      }
    });
    return near;
  }
}

let upstreams: Upstreams;
let lines: string[];
afterEach(() => upstreams.close());

/** Upstreams whose address leads where `lead` says. */
function start(lead: () => FakeServer, commandTimeout = 5_000): Upstream {
  lines = [];
  const write = (line: string) => void lines.push(line);
  const log = { info: write, error: write } as unknown as Log;
  const engine = { ...redisAt("redis://one.test:6379"), connect: () => lead().connect() };
  const settings = resolveSettings({ commandTimeout, redisConnections: 2 });
  upstreams = createUpstreams(engine, settings, undefined, new Reachability("redis", log));
  const upstream = upstreams.of(null);
  upstream.open();
  return upstream;
}

const send = (upstream: Upstream, ...commands: string[]) =>
  sent((all, receiver) => upstream.send(all, receiver), commands);

/** Runs a transaction and returns the id of the server that ran it. */
const transact = (upstream: Upstream) =>
  new Promise<string>((resolve, onFailure) => {
    const onExec = (reply: Buffer) => resolve(lineOf(reply.subarray(4)));
    upstream.transaction([command("SET", "k", "v")], { cancelled: false, onExec, onFailure });
  });

test("writes that a former primary refuses wait until the address leads to another one, and all connections follow", async () => {
  const [a, b] = [new FakeServer("a"), new FakeServer("b")];
  let target = a;
  const upstream = start(() => target);
  const user = upstreams.of({ username: "ann", password: "secret" });
  expect(await transact(upstream)).toBe("a");
  await send(user, "GET k", "SET k v");
  a.role = "slave";
  const writes = [send(upstream, "SET a 1"), send(user, "SET b 1"), transact(upstream)];
  await sleep(600);
  // The address was asked where it leads, and nothing was dropped.
  expect(b.connections).toBe(0);
  expect(String(await upstream.ping())).toMatch(/^-READONLY /);
  expect(await send(upstream, "GET k")).toEqual(["+OK"]);
  target = b;
  expect(await Promise.all(writes)).toEqual([["+OK"], ["+OK"], "b"]);
  expect(b.received).toEqual(expect.arrayContaining(["SET a 1", "SET b 1"]));
  await expect.poll(() => a.sockets.size).toBe(0);
  const before = a.received.length;
  await Promise.all(Array.from({ length: 20 }, () => send(upstream, "GET k")));
  expect(a.received).toHaveLength(before);
  expect(String(await upstream.ping())).toBe("+OK\r\n");
  expect(lines).toEqual([
    "redis accepts no writes: it is a replica now",
    "redis leads to another server: all connections follow",
  ]);
  expect(upstreams.counters.topologyChanges).toBe(1);
});

test("a new connection that reaches another primary has all others follow before its commands are sent", async () => {
  const [a, b] = [new FakeServer("a"), new FakeServer("b")];
  let target = a;
  const upstream = start(() => target);
  await send(upstream, "GET k");
  // Redis takes its time for the replies to these, and sends them.
  a.reply = ([name]) => (name === "INCR" ? null : "+OK");
  const inFlight = send(upstream, "INCR n");
  await expect.poll(() => a.received).toContain("INCR n");
  target = b;
  expect(await transact(upstream)).toBe("b");
  expect(await send(upstream, "SET k v")).toEqual(["+OK"]);
  expect(a.received).toEqual(["GET k", "INCR n"]);
  a.release(":1");
  expect(await inFlight).toEqual([":1"]);
  await expect.poll(() => a.sockets.size).toBe(0);
});

test("a wait at the former server ends by itself, and its connection is not lent again", async () => {
  const [a, b] = [new FakeServer("a"), new FakeServer("b")];
  let target = a;
  const upstream = start(() => target);
  a.reply = ([name]) => (name === "BLPOP" ? null : "+OK");
  const alone = () => sent((all, receiver) => void upstream.sendAlone(all, [5_000], receiver), ["BLPOP q 5"]);
  const popped = alone();
  await expect.poll(() => a.received).toContain("BLPOP q 5");
  target = b;
  expect(await transact(upstream)).toBe("b");
  a.release("*2\r\n$1\r\nq\r\n$1\r\nx");
  expect(String(await popped)).toContain("x");
  await expect.poll(() => a.sockets.size).toBe(0);
  expect(await alone()).toEqual(["+OK"]);
  expect(b.received).toContain("BLPOP q 5");
});

test("an address that leads to a replica on purpose is asked now and then, and each write gets its error at once", async () => {
  const replica = new FakeServer("a");
  replica.role = "slave";
  const upstream = start(() => replica);
  await transact(upstream);
  const before = replica.connections;
  for (let i = 0; i < 50; i++) expect(await send(upstream, "SET k v", "GET k")).toEqual([READONLY, "+OK"]);
  expect(replica.connections - before).toBeLessThanOrEqual(1);
  expect(String(await upstream.ping())).toBe("+OK\r\n");
  expect(lines).toEqual([]);
});

test("a script that replies with the error of a replica moves nobody, and is run once", async () => {
  const [a, b] = [new FakeServer("a"), new FakeServer("b")];
  const target = a;
  const upstream = start(() => target);
  a.reply = ([name]) => (name === "EVAL" ? READONLY : "+OK");
  expect(await send(upstream, "EVAL s 0", "GET k")).toEqual([READONLY, "+OK"]);
  a.reply = ([name]) => (name === "EVAL" ? "-READONLY x" : "+OK");
  expect(await send(upstream, "EVAL s 0")).toEqual(["-READONLY x"]);
  expect(a.received).toEqual(["EVAL s 0", "GET k", "EVAL s 0"]);
  expect([b.connections, lines]).toEqual([0, []]);
});

test("connections do not follow for ever where an address leads to several primaries in turn", async () => {
  const servers = ["a", "b", "c"].map((id) => new FakeServer(id));
  let next = 0;
  const upstream = start(() => servers[next++ % servers.length]!);
  await Promise.all(Array.from({ length: 10 }, () => transact(upstream)));
  await sleep(300);
  const opened = next;
  for (let i = 0; i < 5; i++) await transact(upstream);
  await sleep(300);
  expect(next - opened).toBeLessThanOrEqual(5);
  expect(lines.length).toBeLessThanOrEqual(2);
});

test("a connection that reaches a replica is not used while the others are at the primary", async () => {
  const [primary, replica] = [new FakeServer("a"), new FakeServer("b")];
  replica.role = "slave";
  let target = primary;
  const upstream = start(() => target);
  await send(upstream, "GET k");
  target = replica;
  const ran = transact(upstream);
  await sleep(300);
  await expect.poll(() => replica.connections).toBeGreaterThan(1);
  expect(replica.received).not.toContain("SET k v");
  target = primary;
  expect(await ran).toBe("a");
  expect(lines).toEqual([]);
});

test("a server that loads its data is connected to, keeps its connections, and commands wait for it", async () => {
  const server = new FakeServer("a");
  server.isLoading = true;
  const upstream = start(() => server);
  const early = send(upstream, "GET early");
  await expect.poll(() => server.received.length).toBeGreaterThan(1);
  expect(String(await upstream.ping())).toMatch(/^-LOADING /);
  server.isLoading = false;
  expect(await early).toEqual(["+OK"]);
  server.isLoading = true;
  const late = send(upstream, "GET late");
  await sleep(300);
  server.isLoading = false;
  expect(await late).toEqual(["+OK"]);
  expect(server.sockets.size).toBe(2);
  expect(lines).toEqual([]);
});

test("commands wait until a server that runs a script says whether it is a node of a cluster", async () => {
  const server = new FakeServer("a");
  server.isBusy = true;
  const upstream = start(() => server);
  const gone = { cancelled: false, failures: 0, onReply() {}, onFailure: () => void gone.failures++ };
  upstream.send([command("INCR", "gone")], gone);
  const early = Promise.all([send(upstream, "GET early"), transact(upstream)]);
  await expect.poll(() => server.connections).toBeGreaterThan(1);
  gone.cancelled = true;
  server.isBusy = false;
  expect(await early).toEqual([["+OK"], "a"]);
  expect(gone.failures).toBe(1);
  expect(server.received).not.toContain("INCR gone");
});

test("commands wait no longer than their time for what a server says of itself", async () => {
  const server = new FakeServer("a");
  server.isBusy = true;
  const upstream = start(() => server, 500);
  expect((await send(upstream, "GET late"))[0]).toMatchObject({ outcome: "unsent" });
  expect(server.received).toEqual([]);
});

test("a server that was restarted is used by all, and is no change of the address", async () => {
  let target = new FakeServer("a");
  const upstream = start(() => target);
  await send(upstream, "GET k");
  expect(await transact(upstream)).toBe("a");
  const { sockets } = target;
  target = new FakeServer("b");
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => sockets.size).toBe(0);
  expect(await transact(upstream)).toBe("b");
  expect(await send(upstream, "SET k v")).toEqual(["+OK"]);
  expect(lines.filter((line) => line.includes("follow"))).toEqual([]);
});
