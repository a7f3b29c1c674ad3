import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { warmlineConnector } from "warmline/ioredis";
import {
  carries,
  type FakeRedis,
  freePorts,
  type GatewayProcess,
  loseReply,
  type NetworkProxy,
  onRequest,
  startFakeRedis,
  startGatewayProcess,
  startInstance,
  startNetworkProxy,
} from "warmline-testbed";
import { pause } from "../faults/support/rig.js";
import { tableOf } from "../support/docs-table.js";
import { forTest } from "../support/lifetime.js";
import { IORedis, type IORedisClient, type RedisOptions } from "../support/redis-clients.js";

// The same faults with ioredis through warmline/ioredis and over TCP. Applied writes are counted at Redis.

type Via = "HTTP" | "TCP";

let redis: FakeRedis;
let gateway: GatewayProcess;
let proxies: Record<Via, NetworkProxy>;

beforeEach(async () => {
  redis = forTest(await startFakeRedis());
  gateway = forTest(await startGatewayProcess({ args: ["--redis", redis.url] }));
  const [http, tcp] = await freePorts(2);
  proxies = {
    HTTP: forTest(await startNetworkProxy({ to: { port: gateway.port }, port: http! })),
    TCP: forTest(await startNetworkProxy({ to: { port: redis.port }, protocol: "raw", port: tcp! })),
  };
});

/** A connected client. The scripted Redis has no INFO, which the ready check wants. */
async function connect(via: Via, options: RedisOptions = {}, timeout = 2_000): Promise<IORedisClient> {
  const { url, port } = proxies[via];
  const way =
    via === "HTTP"
      ? {
          Connector: warmlineConnector({
            url,
            token: gateway.token,
            timeout,
            retry: { retries: 3, backoff: () => 20 },
          }),
        }
      : { port, host: "127.0.0.1" };
  const client = new IORedis({ enableReadyCheck: false, disableClientInfo: true, ...way, ...options });
  client.on("error", () => {});
  forTest({ close: () => client.disconnect() });
  await client.get("warm");
  return client;
}

/** Returns how a call ends, or that it does not end within three seconds. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const settled = call.then(
    () => "resolves",
    ({ message }: Error) => `rejects: ${message.split(" ")[0]}`,
  );
  return Promise.race([settled, pause(3_000).then(() => "hangs")]);
}

const table = ["| fault | INCR over HTTP | applied | INCR over TCP | applied |", "|---|---|---|---|---|"];
afterAll(() => console.info(table.join("\n")));

/** Runs a fault on both ways, and returns what became of the one INCR that it is about. */
async function compare(
  fault: string,
  run: (via: Via) => Promise<string>,
): Promise<Record<Via, { outcome: string; applied: number }>> {
  const results = {} as Record<Via, { outcome: string; applied: number }>;
  let before = 0;
  for (const via of ["HTTP", "TCP"] as const) {
    const outcome = await run(via);
    // A command that is sent again is sent within this time.
    await pause(500);
    const applied = redis.count("INCR") - before;
    before += applied;
    results[via] = { outcome, applied };
  }
  const { HTTP, TCP } = results;
  table.push(`| ${fault} | ${HTTP.outcome} | ${HTTP.applied} | ${TCP.outcome} | ${TCP.applied} |`);
  return results;
}

describe("lost replies", () => {
  test.each([1, 2, 5])("INCR is applied once if Redis loses %i replies", async (count) => {
    const { HTTP, TCP } = await compare(
      `Redis loses ${count === 1 ? "the reply" : `${count} replies`}`,
      async (via) => {
        let left = count;
        redis.script(({ name }) => (name === "INCR" && left-- > 0 ? "close" : undefined));
        return outcomeOf((await connect(via)).incr("n"));
      },
    );
    expect(HTTP).toEqual({ outcome: "rejects: UNKNOWNOUTCOME", applied: 1 });
    expect(TCP.applied).toBe(count + 1);
  });

  test("a response lost on the way: INCR is applied once", async () => {
    const { HTTP, TCP } = await compare("response lost on the way", async (via) => {
      let lost = false;
      proxies[via].onConnection(() =>
        onRequest(
          (request) => {
            if (lost || !carries("incr")(request)) return false;
            lost = true;
            return true;
          },
          loseReply({ leave: "reset" }),
        ),
      );
      return outcomeOf((await connect(via)).incr("n"));
    });
    expect(HTTP).toEqual({ outcome: "rejects: UNKNOWNOUTCOME", applied: 1 });
    expect(TCP.applied).toBeGreaterThanOrEqual(1);
  });

  test("a batch whose response is lost repeats its reads, and its writes reject", async () => {
    const client = await connect("HTTP");
    await client.set("a", "x");
    let left = 1;
    redis.script(({ name }) => (name === "INCR" && left-- > 0 ? "close" : undefined));
    const calls = [client.get("a"), client.incr("n"), client.get("a"), client.set("b", "y")];
    const settled = await Promise.allSettled(calls);
    expect(settled[0]).toMatchObject({ value: "x" });
    expect(settled[1]).toMatchObject({
      reason: { message: expect.stringMatching(/^UNKNOWNOUTCOME /) },
    });
    expect(settled[2]).toMatchObject({ value: "x" });
    expect(redis.count("INCR")).toBe(1);
    expect(redis.count("SET")).toBeLessThanOrEqual(2);
    expect(await client.get("n")).toBe("1");
  });
});

describe("silent connections", () => {
  test("a connection that goes silent in use: the call ends within the timeout, and INCR is not sent again", async () => {
    const { HTTP, TCP } = await compare("connection silent in use", async (via) => {
      const client = await connect(via);
      proxies[via].blackholeAll();
      return outcomeOf(client.incr("n"));
    });
    expect(HTTP).toEqual({ outcome: "rejects: UNKNOWNOUTCOME", applied: 0 });
    expect(TCP).toEqual({ outcome: "hangs", applied: 0 });
  });

  test("a connection that went silent while idle: INCR takes another one", async () => {
    const { HTTP, TCP } = await compare("connection silent since it was idle", async (via) => {
      const client = await connect(via);
      proxies[via].blackholeAll();
      await pause(1_200);
      return outcomeOf(client.incr("n"));
    });
    expect(HTTP).toEqual({ outcome: "resolves", applied: 1 });
    expect(TCP).toEqual({ outcome: "hangs", applied: 0 });
  });

  test("socketTimeout of ioredis gives each outstanding command its outcome, and INCR is not sent again", async () => {
    const { HTTP, TCP } = await compare("late reply, and socketTimeout of 200 ms", async (via) => {
      let left = 1;
      redis.script(({ name }) => (name === "INCR" && left-- > 0 ? { late: 800 } : undefined));
      return outcomeOf((await connect(via, { socketTimeout: 200 })).incr("n"));
    });
    expect(HTTP).toEqual({ outcome: "rejects: UNKNOWNOUTCOME", applied: 1 });
    expect(TCP.applied).toBe(2);
  });
});

test("an endpoint that cannot be reached: INCR rejects as not sent, and does not run later", async () => {
  const { HTTP, TCP } = await compare("server unreachable for 2.5 s", async (via) => {
    const client = await connect(via, {}, 1_000);
    await proxies[via].refuse();
    for (const connection of proxies[via].connections) connection.resetClient();
    await pause(50);
    const outcome = outcomeOf(client.incr("n"));
    await pause(2_500);
    await proxies[via].accept();
    const settled = await outcome;
    await pause(1_000);
    return settled;
  });
  expect(HTTP).toEqual({ outcome: "rejects: UNSENT", applied: 0 });
  expect(TCP.applied).toBe(1);
});

test("a disconnect with a reply outstanding: the call rejects, and INCR is applied once", async () => {
  let left = 1;
  redis.script(({ name }) => (name === "INCR" && left-- > 0 ? { late: 800 } : undefined));
  const client = await connect("HTTP", { disconnectTimeout: 100 });
  const call = client.incr("n");
  await pause(50);
  client.disconnect(true);
  await expect(call).rejects.toThrow("Connection is closed.");
  expect(await client.get("other")).toBeNull();
  await pause(1_000);
  expect(redis.count("INCR")).toBe(1);
});

describe("a function that is frozen between invocations", () => {
  const handler = fileURLToPath(new URL("handlers/ioredis.mjs", import.meta.url));

  test.each([
    [
      "the connection is closed",
      ({ connections }: NetworkProxy) => connections.forEach((connection) => void connection.close()),
    ],
    [
      "the connection is reset",
      ({ connections }: NetworkProxy) => connections.forEach((connection) => void connection.resetClient()),
    ],
    ["the path forgets the connection", (proxy: NetworkProxy) => proxy.blackholeAll()],
  ] as const)("INCR resolves and is applied once while %s", async (happening, befall) => {
    const { HTTP } = await compare(`frozen while ${happening}`, async (via) => {
      const { url, port } = proxies[via];
      const env =
        via === "HTTP" ? { WARMLINE_URL: url, WARMLINE_TOKEN: gateway.token } : { TCP_PORT: String(port) };
      const instance = await startInstance({ handler, timeoutMs: 4_000, env });
      await instance.invoke(["GET", "n"]);
      await instance.freeze();
      befall(proxies[via]);
      await pause(1_200);
      const invoked = instance.invoke(["INCR", "n"]);
      await instance.thaw();
      const { result, error } = await Promise.race([
        invoked.catch((thrown) => ({ result: undefined, error: thrown })),
        pause(3_000).then(() => ({ result: { hangs: true }, error: undefined })),
      ]);
      await instance.stop();
      const given = result as { value?: unknown; error?: string; hangs?: boolean } | undefined;
      if (given?.hangs || error) return "hangs";
      return given?.error === undefined ? "resolves" : `rejects: ${given.error.split(" ")[0]}`;
    });
    expect(HTTP).toEqual({ outcome: "resolves", applied: 1 });
  });
});

test("docs/ioredis.md shows what the faults did over HTTP", ({ skip }) => {
  skip(table.length < 13, "some faults were not run");
  const overHttp = (lines: readonly string[]) => lines.map((line) => line.split("|").slice(1, 4).join("|"));
  expect(overHttp(tableOf("docs/ioredis.md", "faults", table))).toEqual(overHttp(table));
});
