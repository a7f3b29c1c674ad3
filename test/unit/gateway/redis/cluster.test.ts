import { afterEach, describe, expect, test } from "vitest";
import type { ClusterOptions } from "../../../../gateway/src/redis/cluster/cluster.js";
import { type Receiver, UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import { Subscriptions } from "../../../../gateway/src/redis/pubsub/subscriptions.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { type Decision, FakeCluster, sent } from "./fake-cluster.js";

let fake: FakeCluster;
afterEach(() => fake.close());

const start = (
  decide: (node: string, args: readonly string[]) => Decision,
  options?: Partial<ClusterOptions>,
) => {
  fake = new FakeCluster(decide, options);
};

/** For tests in which a command fails at its timeout. */
const SHORT = { timeout: 600 };

describe("an MSET over two nodes", () => {
  test("an MSET over two nodes is unknown, and not written again, if one node closes without a reply", async () => {
    start((node) => (node === "b" ? "close" : "+OK"));
    const [result] = await fake.send("MSET bar 1 foo 2");
    expect(result).toBeInstanceOf(UpstreamFailure);
    expect((result as UpstreamFailure).outcome).toBe("unknown");
    expect(fake.received.sort()).toEqual(["a: MSET bar 1", "b: MSET foo 2"]);
  });

  test("an MSET over two nodes is unknown if one part ran and the other node can't be reached", async () => {
    start(() => "+OK", SHORT);
    fake.down.add("b");
    const [result] = await fake.send("MSET bar 1 foo 2");
    expect(result).toMatchObject({ reason: "partial", outcome: "unknown" });
    expect(fake.received).toEqual(["a: MSET bar 1"]);
  });

  test("an MSET over two nodes is unsent if no part could be written", async () => {
    start(() => "+OK", SHORT);
    for (const node of ["a", "b"]) fake.down.add(node);
    const [result] = await fake.send("MSET bar 1 foo 2");
    expect(result).toMatchObject({ reason: "unreachable", outcome: "unsent" });
    expect(fake.received).toEqual([]);
  });
});

describe("a pipeline's command that its node refused", () => {
  test("a pipeline's command is not run after a later one of its slot, and fails with a code that clients do not retry", async () => {
    start((_, [, , value]) => (value === "first" ? "-TRYAGAIN wait" : "+OK"));
    const [first, second, other] = await fake.send("SET bar first", "SET bar second", "SET hello x");
    expect(first).toMatchObject({ reason: "overtaken", outcome: "unsent", code: "TRYAGAIN" });
    expect((first as UpstreamFailure).message).toMatch(/in order/);
    expect([second, other]).toEqual(["+OK", "+OK"]);
    expect(fake.received.filter((text) => text.endsWith("first"))).toHaveLength(1);
  });

  test("a pipeline's command may run after later ones if all only read, or the later ones have other slots", async () => {
    let refusals = 2;
    start(() => (refusals-- > 0 ? "-TRYAGAIN wait" : "+OK"));
    expect(await fake.send("GET bar", "GET bar", "SET hello x")).toEqual(["+OK", "+OK", "+OK"]);
    refusals = 1;
    expect(await fake.send("SET bar x", "SET hello x")).toEqual(["+OK", "+OK"]);
  });

  test("a pipeline's commands keep their order if all of them were refused at first", async () => {
    let refusals = 3;
    start(() => (refusals-- > 0 ? "-CLUSTERDOWN wait" : "+OK"));
    expect(await fake.send("SET bar 1", "SET bar 2", "SET bar 3")).toEqual(["+OK", "+OK", "+OK"]);
    expect(fake.received.slice(3)).toEqual(["a: SET bar 1", "a: SET bar 2", "a: SET bar 3"]);
  });
});

test("an error that a script returns is its reply, and the script is not run again", async () => {
  start((_, [name]) => (name === "EVAL" ? "-READONLY x" : "+OK"));
  expect(await fake.send("EVAL s 1 bar", "SET bar 1")).toEqual(["-READONLY x", "+OK"]);
  expect(fake.received).toHaveLength(2);
});

test("a command that its node refuses until its timeout fails as unsent, with the reason", async () => {
  start(() => "-LOADING Redis is loading the dataset in memory", SHORT);
  const [result] = await fake.send("SET bar 1");
  expect(result).toMatchObject({ reason: "unreachable", outcome: "unsent" });
  expect((result as UpstreamFailure).message).toMatch(/LOADING/);
});

describe("a pipeline's command behind one that may have run", () => {
  test("an unsent command of a pipeline is not sent after an unknown one of its slot, to keep the order", async () => {
    start((_, [, , value]) => (value === "first" ? "close" : "+OK"), { maxQueuedCommands: 10_000 });
    // More commands than a connection has in flight at a time.
    const many = Array.from({ length: 1_200 }, (_, at) => `SET bar ${at}`);
    const [first, ...rest] = await fake.send("SET bar first", ...many, "SET hello x", "SET foo x");
    expect(first).toMatchObject({ code: "UNKNOWNOUTCOME" });
    const [other, elsewhere] = rest.splice(-2);
    expect([other, elsewhere]).toEqual(["+OK", "+OK"]);
    expect(new Set(rest.map((result) => (result as UpstreamFailure).code))).toEqual(
      new Set(["UNKNOWNOUTCOME", "UNSENT"]),
    );
    expect(fake.received.filter((text) => text.startsWith("a: SET bar"))).toEqual(["a: SET bar first"]);
  });

  test("an unsent command of a pipeline that was refused is not sent again after an unknown one of its slot", async () => {
    start((node, [, , value]) => {
      if (node === "b") return value === "first" ? "close" : "+OK";
      return value === "first" ? "-MOVED 5061 b:1" : "-TRYAGAIN wait";
    });
    const [first, second] = await fake.send("SET bar first", "SET bar second");
    expect(first).toMatchObject({ code: "UNKNOWNOUTCOME" });
    expect(second).toMatchObject({ code: "UNSENT" });
    expect(fake.received).toEqual(["a: SET bar first", "a: SET bar second", "b: SET bar first"]);
  });
});

describe("a pipeline of thousands", () => {
  const many = Array.from({ length: 3_500 }, (_, at) => `SET ${at % 2 ? "bar" : "foo"} ${at}`);

  test("a pipeline of thousands lets other requests run while it is routed, and keeps its order", async () => {
    start(() => "+OK", { maxQueuedCommands: 10_000, timeout: 10_000 });
    await fake.send("PING");
    const [long, short] = await Promise.all([fake.send(...many), fake.send("GET foo")]);
    expect([long.length, new Set(long), short]).toEqual([many.length, new Set(["+OK"]), ["+OK"]]);
    expect(fake.received[0]).toBe("b: GET foo");
    for (const node of ["a", "b"]) {
      const got = fake.received.filter((text) => text.startsWith(`${node}: SET`));
      const key = node === "a" ? "bar" : "foo";
      expect(got).toEqual(many.filter((text) => text.includes(key)).map((text) => `${node}: ${text}`));
    }
  });

  test("a pipeline of thousands is unsent if the gateway closes meanwhile", async () => {
    start(() => "+OK", { maxQueuedCommands: 10_000, timeout: 10_000 });
    await fake.send("PING");
    const results = fake.send(...many);
    fake.close();
    expect(new Set((await results).map((result) => (result as UpstreamFailure).reason))).toEqual(
      new Set(["closing"]),
    );
    expect(fake.received).toEqual([]);
  });
});

describe("MOVED to an unknown node", () => {
  test("MOVED to an unknown node refreshes the topology, and is followed once the topology has the node", async () => {
    start((node) => (node === "c" ? "+OK" : "-MOVED 5061 c:1"));
    await fake.send("PING");
    const requested = fake.asked;
    fake.ranges = [
      [0, 8_191, "c"],
      [8_192, 16_383, "b"],
    ];
    expect(await fake.send("SET bar 1")).toEqual(["+OK"]);
    expect(fake.asked).toBeGreaterThan(requested);
    expect(fake.received[0]).toBe("a: SET bar 1");
    expect(fake.received.filter((text) => text.startsWith("c"))).toEqual(["c: SET bar 1"]);
  });

  test("MOVED to an unknown node is not followed while the topology lacks the node, and the command is unsent", async () => {
    start(() => "-MOVED 5061 elsewhere:1", SHORT);
    const [result] = await fake.send("SET bar 1");
    expect(result).toMatchObject({ outcome: "unsent" });
    expect((result as UpstreamFailure).message).not.toMatch(/MOVED|elsewhere/);
    expect(fake.received.every((text) => text === "a: SET bar 1")).toBe(true);
  });
});

describe("ASK to a node without slots", () => {
  const migrating = (options?: Partial<ClusterOptions>) =>
    start((node, [name]) => {
      if (node === "c") return name === "EXEC" ? "*1\r\n+OK" : name === "SET" ? "+OK" : "+QUEUED";
      return name === "EXEC" ? "-EXECABORT Transaction discarded" : name === "SET" ? "-ASK 5061 c:1" : "+OK";
    }, options);

  test("ASK to a new node is followed if the cluster has the node", async () => {
    migrating();
    fake.listed = ["a", "b", "c"];
    expect(await fake.send("SET bar 1")).toEqual(["+OK"]);
    expect(fake.received.slice(-2)).toEqual(["c: ASKING", "c: SET bar 1"]);
    const known = fake.received.length;
    expect(await fake.send("SET bar 2")).toEqual(["+OK"]);
    expect(fake.received.slice(known)).toEqual(["a: SET bar 2", "c: ASKING", "c: SET bar 2"]);
  });

  test("a transaction follows ASK to a new node", async () => {
    migrating();
    fake.listed = ["a", "b", "c"];
    const reply = await new Promise((resolve, reject) =>
      fake.cluster.transaction([command("SET", "bar", "1")], {
        cancelled: false,
        onExec: (exec) => resolve(exec.toString()),
        onFailure: reject,
      }),
    );
    expect(reply).toBe("*1\r\n+OK\r\n");
    expect(fake.received.slice(-4)).toEqual(["c: ASKING", "c: MULTI", "c: SET bar 1", "c: EXEC"]);
  });

  test("ASK to a node that the cluster does not have is not followed", async () => {
    migrating(SHORT);
    fake.listed = ["a", "b"];
    expect((await fake.send("SET bar 1"))[0]).toMatchObject({ outcome: "unsent" });
    expect(fake.received.every((text) => text === "a: SET bar 1")).toBe(true);
  });
});

test("a blocking command whose slot moves blocks at the new node only for the rest of its timeout", async () => {
  start((node) => (node === "a" ? { after: 300, reply: "-MOVED 5061 b:1" } : "*-1"));
  const blpop = (all: Parameters<typeof fake.cluster.send>[0], receiver: Receiver) =>
    void fake.cluster.sendAlone(all, [5_000], receiver);
  expect(await sent(blpop, ["BLPOP bar 5"])).toEqual(["*-1"]);
  const [first, second = ""] = fake.received;
  expect(first).toBe("a: BLPOP bar 5");
  const rest = Number(/^b: BLPOP bar (\S+)$/.exec(second)?.[1]);
  expect(rest).toBeGreaterThan(0);
  expect(rest).toBeLessThan(4.75);
});

test.each(["subscribe", "ssubscribe"] as const)(
  "a message that does not fit in memory is reported as a gap, and later ones arrive: %s",
  async (sort) => {
    const kind = sort.replace("subscribe", "message");
    const array = (...items: string[]) =>
      `*${items.length}\r\n${items.map((item) => `$${item.length}\r\n${item}`).join("\r\n")}`;
    const replies = [
      `*3\r\n$${sort.length}\r\n${sort}\r\n$4\r\nnews\r\n:1`,
      array(kind, "news", "x".repeat(600_000)),
      array(kind, "news", "last"),
    ];
    const budget = new BufferBudget(1_000_000);
    start((_, [name]) => (name === "GET" ? "+OK" : replies.join("\r\n")), { budget, maxReplySize: 1e9 });
    await fake.send("GET news");
    const subscriptions = new Subscriptions({
      ...fake.cluster.connectionOptions,
      encode: (push) => push.slice(-1),
      sharding: () => fake.cluster.sharding,
    });
    const events: string[] = [];
    await new Promise<void>((resolve, reject) => {
      subscriptions.add([{ sort, name: Buffer.from("news") }], {
        onReady: () => events.push("ready"),
        onMessage: (encoded) => {
          events.push(String(encoded));
          resolve();
        },
        onGap: () => events.push("gap"),
        onEnd: reject,
        onChanged: () => {},
      });
    });
    subscriptions.close();
    expect(events).toEqual(["ready", "gap", "last"]);
    expect(budget.used).toBe(0);
  },
);
