import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { type FakeRedis, startFakeRedis } from "./fake-redis.js";
import { call } from "./http.js";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let fake: FakeRedis;
let gateway: Gateway;

async function start(
  onCommand: FakeRedis["onCommand"],
  options: Partial<GatewayOptions> = {},
): Promise<void> {
  fake = await startFakeRedis(onCommand);
  gateway = await createGateway({
    redis: fake.url,
    port: 0,
    operationTimeout: 300,
    closeGrace: 0,
    ...options,
  });
}

afterEach(async () => {
  await gateway.close();
  await fake.stop();
});

describe("a reply lost with its connection", () => {
  it.each([1, 2, 5])(
    "is unknown and the command is never written again, %i times in a row",
    async (times) => {
      let value = 0;
      await start(({ socket }) => {
        value++;
        if (value <= times) socket.destroy();
        return value <= times ? null : `:${value}\r\n`;
      });
      for (let i = 1; i <= times; i++) {
        const answer = await call(gateway, "/", { body: ["INCR", "n"] });
        expect(answer.status).toBe(502);
        expect(answer.headers["warmline-outcome"]).toBe("unknown");
        expect(answer.json.error).toMatch(/connection to Redis was lost/);
        expect(fake.count("INCR")).toBe(i);
      }
      const answer = await call(gateway, "/", { body: ["INCR", "n"] });
      expect(answer.json).toEqual({ result: times + 1 });
      await sleep(100);
      expect(fake.count("INCR")).toBe(times + 1);
    },
  );

  it("is unknown for what was written and nothing else", async () => {
    await start(({ words, socket }) => {
      if (words[1] === "bad") socket.destroy();
      return words[1] === "bad" ? null : `$2\r\n${words[1]}\r\n`;
    });
    const body = [
      ["GET", "k0"],
      ["GET", "bad"],
      ["GET", "k2"],
    ];
    const answer = await call(gateway, "/pipeline", { body });
    expect(answer.status).toBe(200);
    expect(answer.json[0]).toEqual({ result: "k0" });
    expect(answer.json[1].error).toMatch(/^UNKNOWNOUTCOME /);
    expect(answer.json[2].error).toMatch(/^UNKNOWNOUTCOME /);
  });

  it("keeps resp2 batches well-formed", async () => {
    await start(({ socket }) => {
      socket.destroy();
      return null;
    });
    const headers = { "upstash-response-format": "resp2" };
    const answer = await call(gateway, "/pipeline", { body: [["INCR", "n"]], headers });
    expect(answer.text).toMatch(/^\*1\r\n-UNKNOWNOUTCOME [^\r\n]+\r\n$/);
  });

  it("is unknown for a transaction", async () => {
    await start(({ words, socket }) => {
      if (words[0] !== "EXEC") return words[0] === "INCR" ? "+QUEUED\r\n" : "+OK\r\n";
      socket.destroy();
      return null;
    });
    const answer = await call(gateway, "/multi-exec", {
      body: [
        ["INCR", "n"],
        ["INCR", "n"],
      ],
    });
    expect(answer.status).toBe(502);
    expect(answer.headers["warmline-outcome"]).toBe("unknown");
    expect(fake.count("EXEC")).toBe(1);
  });
});

describe("a reply that comes too late", () => {
  it("is unknown, and goes to nobody else", async () => {
    await start(({ words, socket }) => {
      if (words[1] === "slow") setTimeout(() => socket.write("$4\r\nslow\r\n"), 450);
      else setTimeout(() => socket.write(`$4\r\n${words[1]}\r\n`), 0);
      return null;
    });
    // The fake answers in its own order, as Redis would: nothing before the slow one is out.
    const slow = await call(gateway, "/", { body: ["GET", "slow"] });
    expect(slow.status).toBe(504);
    expect(slow.headers["warmline-outcome"]).toBe("unknown");
    await sleep(250);
    expect((await call(gateway, "/", { body: ["GET", "next"] })).json).toEqual({ result: "next" });
    expect(fake.connections).toBe(1);
    expect(fake.count("GET")).toBe(2);
  });

  it("is consumed in its place while others wait behind it", async () => {
    const owed: (() => void)[] = [];
    await start(({ words, socket }) => {
      owed.push(() => socket.write(`$2\r\n${words[1]}\r\n`));
      return null;
    });
    const first = call(gateway, "/", { body: ["GET", "aa"] });
    await sleep(200);
    const second = call(gateway, "/", { body: ["GET", "bb"] });
    expect((await first).status).toBe(504);
    for (const pay of owed) pay();
    expect((await second).json).toEqual({ result: "bb" });
  });

  it("leads to a new connection when Redis has gone silent", async () => {
    await start(({ connection, words }) => (connection === 1 ? null : `$1\r\n${words[1]}\r\n`));
    expect((await call(gateway, "/", { body: ["GET", "a"] })).status).toBe(504);
    await sleep(400);
    expect((await call(gateway, "/", { body: ["GET", "b"] })).json).toEqual({ result: "b" });
    expect(fake.connections).toBe(2);
    expect(fake.arrived.map(({ words }) => words[1])).toEqual(["a", "b"]);
  });
});

describe("no connection", () => {
  it("is unsent, within the operation timeout, and is not sent later", async () => {
    await start(() => "+OK\r\n");
    const port = Number(new URL(fake.url).port);
    await fake.stop();
    await sleep(50);
    const began = performance.now();
    const answer = await call(gateway, "/", { body: ["INCR", "n"] });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(answer.status).toBe(503);
    expect(answer.headers["warmline-outcome"]).toBe("unsent");
    expect(answer.headers["retry-after"]).toBe("1");
    expect(answer.json.error).toMatch(/could not be reached: ECONNREFUSED/);
    const batch = await call(gateway, "/pipeline", {
      body: [
        ["INCR", "n"],
        ["INCR", "n"],
      ],
    });
    expect(batch.status).toBe(200);
    expect(batch.json.map((item: any) => item.error.split(" ")[0])).toEqual(["UNSENT", "UNSENT"]);
    for (const [path, body] of [
      ["/multi-exec", [["INCR", "n"]]],
      ["/", ["BLPOP", "l", "1"]],
    ] as const) {
      const alone = await call(gateway, path, { body });
      expect(alone.status).toBe(503);
      expect(alone.headers["warmline-outcome"]).toBe("unsent");
    }
    const health = await call(gateway, "/health");
    expect(health.status).toBe(503);
    expect(health.json.status).toBe("down");

    const late: string[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        late.push(chunk.toString());
        socket.write("+PONG\r\n");
      });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    await expect.poll(() => late.length, { timeout: 5_000 }).toBeGreaterThan(0);
    await sleep(200);
    expect(late.join("")).not.toContain("INCR");
    await gateway.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it("that comes back in time sends what waited, once", async () => {
    let refuse = true;
    await start(
      ({ socket, words }) => {
        if (refuse && words[0] === "AUTH") socket.destroy();
        return words[0] === "INCR" ? ":1\r\n" : "+OK\r\n";
      },
      { operationTimeout: 3_000 },
    );
    await gateway.close();
    gateway = await createGateway({
      redis: fake.url.replace("redis://", "redis://:secret@"),
      port: 0,
      operationTimeout: 3_000,
    });
    const waiting = call(gateway, "/", { body: ["INCR", "n"] });
    await sleep(150);
    expect(fake.count("INCR")).toBe(0);
    refuse = false;
    expect((await waiting).json).toEqual({ result: 1 });
    expect(fake.count("INCR")).toBe(1);
  });

  it("for whoever has given up sends nothing", async () => {
    let refuse = true;
    fake = await startFakeRedis(({ socket, words }) => {
      if (refuse && words[0] === "AUTH") socket.destroy();
      return words[0] === "INCR" ? ":1\r\n" : "+OK\r\n";
    });
    gateway = await createGateway({ redis: fake.url.replace("redis://", "redis://:secret@"), port: 0 });
    const signal = AbortSignal.timeout(100);
    await expect(call(gateway, "/", { body: ["INCR", "gone"], signal })).rejects.toThrow();
    refuse = false;
    expect((await call(gateway, "/", { body: ["INCR", "here"] })).json).toEqual({ result: 1 });
    expect(fake.arrived.filter(({ words }) => words[0] === "INCR").map(({ words }) => words[1])).toEqual([
      "here",
    ]);
  });
});

describe("a Redis that will not have us", () => {
  it.each([
    "-WRONGPASS invalid username-password pair or user is disabled.",
    "-ERR max number of clients reached",
  ])("%s is told as unsent, without the password", async (error) => {
    fake = await startFakeRedis(() => `${error}\r\n`);
    const redis = fake.url.replace("redis://", "redis://ann:hidden@");
    gateway = await createGateway({ redis, port: 0, operationTimeout: 300 });
    const answer = await call(gateway, "/", { body: ["GET", "k"] });
    expect(answer.status).toBe(503);
    expect(answer.headers["warmline-outcome"]).toBe("unsent");
    expect(answer.json.error).toContain(error.slice(1));
    expect(answer.text).not.toContain("hidden");
    expect(fake.count("GET")).toBe(0);
  });
});

describe("bytes that are no answer", () => {
  it("in the place of a reply end the connection; the command is unknown", async () => {
    await start(({ connection }) => (connection === 1 ? "HTTP/1.1 400 Bad Request\r\n\r\n" : ":1\r\n"));
    const answer = await call(gateway, "/", { body: ["INCR", "n"] });
    expect(answer.status).toBe(502);
    expect(answer.headers["warmline-outcome"]).toBe("unknown");
    expect((await call(gateway, "/", { body: ["INCR", "n"] })).json).toEqual({ result: 1 });
    expect(fake.connections).toBe(2);
  });

  it("that nobody asked for never become an answer", async () => {
    await start(({ words, connection }) =>
      connection === 1 ? `$5\r\n${words[1]}\r\n$6\r\nsecret\r\n` : `$5\r\n${words[1]}\r\n`,
    );
    expect((await call(gateway, "/", { body: ["GET", "first"] })).json).toEqual({ result: "first" });
    expect((await call(gateway, "/", { body: ["GET", "other"] })).json).toEqual({ result: "other" });
    expect(fake.connections).toBe(2);
  });

  it("are told apart from a reply that is too large", async () => {
    await start(({ words }) => (words[1] === "big" ? `$5000\r\n${"x".repeat(5_000)}\r\n` : "$2\r\nok\r\n"), {
      maxReply: 1_000,
    });
    const [big, small] = await Promise.all([
      call(gateway, "/", { body: ["GET", "big"] }),
      call(gateway, "/", { body: ["GET", "small"] }),
    ]);
    expect(big.status).toBe(502);
    expect(big.json.error).toMatch(/larger than the gateway passes on/);
    expect(small.json).toEqual({ result: "ok" });
    expect(fake.connections).toBe(1);
  });
});

describe("more than Redis can take", () => {
  it("is refused as unsent", async () => {
    await start(() => null, { maxPending: 10, operationTimeout: 2_000 });
    const waiting = Array.from({ length: 10 }, () => call(gateway, "/", { body: ["GET", "k"] }));
    await expect.poll(() => fake.count("GET")).toBe(10);
    const answer = await call(gateway, "/", { body: ["GET", "k"] });
    expect(answer.status).toBe(503);
    expect(answer.headers["warmline-outcome"]).toBe("unsent");
    expect(answer.headers["retry-after"]).toBe("1");
    for (const each of await Promise.all(waiting)) expect(each.status).toBe(504);
  });
});

it("writes the commands of one turn at once, and each once", async () => {
  const chunks: string[] = [];
  fake = await startFakeRedis();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      chunks.push(chunk.toString());
      socket.write("+OK\r\n".repeat(chunk.toString().split("*").length - 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  gateway = await createGateway({
    redis: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port: 0,
  });
  const body = Array.from({ length: 500 }, (_, i) => ["SET", `k${i}`, "v"]);
  const answer = await call(gateway, "/pipeline", { body });
  expect(answer.json).toEqual(body.map(() => ({ result: "OK" })));
  expect(chunks.length).toBeLessThanOrEqual(3);
  await gateway.close();
  await new Promise((resolve) => server.close(resolve));
});
