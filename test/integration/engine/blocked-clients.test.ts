import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Reply, ReplyClient } from "../../support/differential/replies.js";
import { describeEngines } from "../gateway/engines.js";
import { call } from "../gateway/http.js";
import { type BareEngine, describeBareEngines } from "./without-gateway.js";

describeBareEngines("blocked clients", (start) => {
  let engine: BareEngine;
  const clients: ReplyClient[] = [];
  beforeAll(async () => {
    engine = await start();
  });
  const client = () => {
    const opened = new ReplyClient(engine.open());
    clients.push(opened);
    return opened;
  };
  let writer: ReplyClient;
  beforeEach(async () => {
    writer = client();
    await writer.run([["FLUSHALL"]]);
  });
  afterEach(() => {
    for (const opened of clients.splice(0)) opened.close();
  });
  afterAll(() => engine.stop());

  /** Clients that wait, each of which began after the one before it. */
  async function waiters(...commands: string[][]) {
    const replies: Promise<Reply>[] = [];
    for (const command of commands) replies.push((await client().begin(command)).reply);
    return replies;
  }

  const ELEMENTS = ["e0", "e1", "e2", "e3"];
  test.each([
    ["one command", [["RPUSH", "q", ...ELEMENTS]]],
    ["several commands", ELEMENTS.map((element) => ["RPUSH", "q", element])],
    ["a transaction", [["MULTI"], ...ELEMENTS.map((element) => ["RPUSH", "q", element]), ["EXEC"]]],
    [
      "a script",
      [["EVAL", "for n = 1, 4 do redis.call('rpush', KEYS[1], ARGV[n]) end", "1", "q", ...ELEMENTS]],
    ],
  ])("waiting clients get the elements of %s in the order in which they came", async (how, writes) => {
    const replies = await waiters(...ELEMENTS.map((_, at) => [at % 2 ? "BRPOP" : "BLPOP", "q", "0"]));
    await writer.run(writes);
    const order = how === "several commands" ? ELEMENTS : ["e0", "e3", "e1", "e2"];
    expect(await Promise.all(replies)).toEqual(order.map((element) => ["$q", `$${element}`]));
  });

  test("waiting clients of several kinds get members in the order in which they came", async () => {
    const replies = await waiters(
      ["BZPOPMIN", "z", "0"],
      ["BZMPOP", "0", "1", "z", "MAX"],
      ["BZPOPMAX", "z", "0"],
    );
    await writer.run([["ZADD", "z", "1", "a", "2", "b", "3", "c"]]);
    expect(await Promise.all(replies)).toEqual([
      ["$z", "$a", "$1"],
      ["$z", [["$c", "$3"]]],
      ["$z", "$b", "$2"],
    ]);
  });

  test("waiting clients move elements in the order in which they came", async () => {
    const replies = await waiters(
      ["BLMOVE", "q", "d", "LEFT", "RIGHT", "0"],
      ["BRPOPLPUSH", "q", "d", "0"],
      ["BLMPOP", "0", "1", "q", "LEFT"],
    );
    await writer.run([["RPUSH", "q", "a", "b", "c"]]);
    expect(await Promise.all(replies)).toEqual(["$a", "$c", ["$q", ["$b"]]]);
    expect(await writer.run([["LRANGE", "d", "0", "-1"]])).toEqual([["$c", "$a"]]);
  });

  test("waiting clients go on while their key has another type", async () => {
    const replies = await waiters(
      ["BLPOP", "q", "other", "0"],
      ["BZPOPMIN", "q", "0"],
      ["XREAD", "BLOCK", "0", "STREAMS", "q", "$"],
    );
    await writer.run([
      ["SET", "q", "text"],
      ["DEL", "q"],
      ["HSET", "q", "f", "v"],
      ["RPUSH", "other", "x"],
      ["DEL", "q"],
      ["ZADD", "q", "1", "m"],
      ["DEL", "q"],
      ["XADD", "q", "1-1", "f", "v"],
    ]);
    expect(await Promise.all(replies)).toEqual([
      ["$other", "$x"],
      ["$q", "$m", "$1"],
      [["$q", [["$1-1", ["$f", "$v"]]]]],
    ]);
  });

  test("waiting clients end by CLIENT UNBLOCK", async () => {
    const [id] = (await clients.at(-1)!.run([["CLIENT", "ID"]])) as [string];
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
    expect(
      await writer.run([
        ["CLIENT", "UNBLOCK", number],
        ["CLIENT", "UNBLOCK", number, "x"],
      ]),
    ).toEqual([":0", "-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"]);
  });
});

describeEngines("a gateway that closes", (setup) => {
  test("a command that still waits when the gateway closes is unsent", async () => {
    const { gateway, stop } = await setup.start();
    const waiting = call(gateway, "/", { body: ["BLPOP", "q", "0"] });
    await expect
      .poll(async () => (await call(gateway, "/metrics")).text)
      .toMatch(/upstream_connections\{use="blocking"\} 1/);
    await stop();
    expect((await waiting).headers["warmline-outcome"]).toBe("unsent");
  });
});
