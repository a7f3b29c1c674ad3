import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { commands } from "../../support/commands.js";
import { type Reply, ReplyClient } from "../../support/differential/replies.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";
import { call } from "../gateway/http.js";

/** An engine whose clients connect to it without a gateway. */
interface BareEngine {
  open(): Duplex;
  stop(): Promise<void>;
}

async function startEmbedded(): Promise<BareEngine> {
  const engine = await startEmbeddedEngine();
  return { open: () => engine.connect(), stop: () => engine.close() };
}

async function startReal(): Promise<BareEngine> {
  const server = await startRedis();
  return { open: () => connect(server.path!), stop: () => server.stop() };
}

// The order in which clients are served is compared at random: see test/support/differential/blocked.ts.
const suite = (start: () => Promise<BareEngine>) => () => {
  const engine = sharedByTests(() => start());
  const client = () => forTest(new ReplyClient(engine.open()));
  let writer: ReplyClient;
  beforeEach(async () => {
    writer = client();
    await writer.run([["FLUSHALL"]]);
  });

  /** Clients that wait, each of which began after the one before it. */
  async function waiters(...commands: string[][]) {
    const replies: Promise<Reply>[] = [];
    for (const command of commands) replies.push((await client().begin(command)).reply);
    return replies;
  }

  test("XREADGROUP waits for several streams, and fails without its group", async () => {
    await writer.run(commands("XGROUP CREATE s g $ MKSTREAM", "XGROUP CREATE t g $ MKSTREAM"));
    const read = (...keys: string[]) => ["XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", ...keys];
    const [first, second] = await waiters(read("s", "t", ">", ">"), read("s", ">"));
    await writer.run([["XADD", "t", "1-1", "f", "v"]]);
    expect(await first).toEqual([["$t", [["$1-1", ["$f", "$v"]]]]]);
    // The group reads again what it has read, but only from the next entry on.
    await writer.run(commands("XADD u 1-1 f v", "XGROUP CREATE u g $"));
    const [third] = await waiters(read("u", ">"));
    await writer.run(commands("XGROUP SETID u g 0", "XADD u 2-1 f w"));
    expect(await third).toEqual([
      [
        "$u",
        [
          ["$1-1", ["$f", "$v"]],
          ["$2-1", ["$f", "$w"]],
        ],
      ],
    ]);
    const [fourth, fifth] = await waiters(read("t", ">"), read("u", ">"));
    await writer.run(commands("DEL s", "XGROUP DESTROY t g", "SET u text"));
    expect(await Promise.all([second, fourth, fifth])).toEqual([
      expect.stringMatching(/^-(NOGROUP|UNBLOCKED)/),
      expect.stringMatching(/^-NOGROUP/),
      // Redis since 7.2 says WRONGTYPE.
      expect.stringMatching(/^-(WRONGTYPE|UNBLOCKED)/),
    ]);
  });

  test("a client can wait for longer than a timer of Node", async () => {
    const [reply] = await waiters(["BLPOP", "q", "3000000"]);
    await writer.run([["RPUSH", "q", "x"]]);
    expect(await reply).toEqual(["$q", "$x"]);
  });

  test("neither a transaction nor a script waits", async () => {
    expect(
      await writer.run([
        ...commands("MULTI", "BLPOP q 0", "XREAD BLOCK 0 STREAMS q $", "EXEC"),
        ["EVAL", "return redis.pcall('xread', 'block', 0, 'streams', KEYS[1], '$').err", "1", "q"],
        ...commands("RPUSH q x", "LLEN q"),
      ]),
    ).toEqual([
      "+OK",
      "+QUEUED",
      "+QUEUED",
      ["*-1", "*-1"],
      "$ERR xread command is not allowed with BLOCK option from scripts",
      ":1",
      ":1",
    ]);
  });

  test("a transaction with SELECT is whole", async () => {
    const [first, second] = await waiters(["BLPOP", "q", "0"], ["BLPOP", "p", "0"]);
    const whole = ["MULTI", "RPUSH q x", "SELECT 1", "SET k v", "SELECT 0", "LPUSH q y", "RPUSH p z", "EXEC"];
    await writer.run(commands(...whole));
    expect(await Promise.all([first, second])).toEqual([
      ["$q", "$y"],
      ["$p", "$z"],
    ]);
  });

  test("a client of another database gets what is copied to it", async () => {
    const [reply] = await waiters(["BLPOP", "q", "0"]);
    await writer.run(commands("SELECT 1", "RPUSH q x", "MOVE q 0"));
    expect(await reply).toEqual(["$q", "$x"]);
  });

  test("waiting clients end by CLIENT UNBLOCK", async () => {
    const [id] = (await writer.run([["CLIENT", "ID"]])) as [string];
    const waiting = client();
    const [own] = (await waiting.run([["CLIENT", "ID"]])) as [string];
    expect(own).not.toBe(id);
    const number = own.slice(1);
    const first = waiting.run([["BLPOP", "q", "0"]]);
    await expect.poll(() => writer.run([["CLIENT", "UNBLOCK", number]])).toEqual([":1"]);
    expect(await first).toEqual(["*-1"]);
    const second = waiting.run([["XREAD", "BLOCK", "0", "STREAMS", "x", "$"]]);
    await expect.poll(() => writer.run([["CLIENT", "UNBLOCK", number, "ERROR"]])).toEqual([":1"]);
    expect(await second).toEqual(["-UNBLOCKED client unblocked via CLIENT UNBLOCK"]);
    expect(await writer.run(commands(`CLIENT UNBLOCK ${number}`, `CLIENT UNBLOCK ${number} x`))).toEqual([
      ":0",
      "-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR",
    ]);
  });
};

describe("blocked clients on a real Redis", { tags: "redis-server" }, suite(startReal));
describe("blocked clients on the embedded engine", suite(startEmbedded));

describeEngines("a gateway that closes", (setup) => {
  test("a command that still waits when the gateway closes is unsent", async () => {
    const gateway = await setup.start();
    const waiting = call(gateway, "/", { body: ["BLPOP", "q", "0"] });
    await expect
      .poll(async () => (await call(gateway, "/metrics")).text)
      .toMatch(/upstream_connections\{use="blocking"\} 1/);
    await gateway.close();
    expect((await waiting).headers["warmline-outcome"]).toBe("unsent");
  });
});
