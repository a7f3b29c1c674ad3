import { Agent, request } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { startFakeRedis } from "warmline-testbed";
import { commands } from "../../support/commands.js";
import { forTest } from "../../support/lifetime.js";
import { CliProcess } from "./cli-process.js";

type Line = Record<string, unknown>;

let cli: CliProcess;
let url: URL;
afterAll(() => cli?.stop());
let flags: string | undefined;
/** Starts a gateway with these flags, unless the gateway of the last test has these flags and still runs. */
async function start(...args: string[]): Promise<void> {
  if (flags === args.join(" ") && cli.child.exitCode === null) {
    cli.stderr = "";
    return;
  }
  await cli?.stop();
  cli = new CliProcess(["--port", "0", "--token", "t", ...args]);
  flags = args.join(" ");
  url = new URL((await cli.printed(/^warmline-gateway ready (\S+)\n/))[1]!);
}
const LOGGED = ["--engine", "embedded", "--log-level", "info", "--log-requests"];

const logged = (msg = "request"): Line[] =>
  cli.stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === msg);

/** Waits until the log has `count` lines with the message `msg`, and returns them. */
async function lines(count: number, msg?: string): Promise<Line[]> {
  await expect.poll(() => logged(msg).length, { timeout: 5_000 }).toBe(count);
  return logged(msg);
}

/** Sends a request on a separate connection. */
function send(body: unknown[], headers: Record<string, string | string[]> = {}, path = "/") {
  return new Promise<{ status: number; id: string | undefined; bytes: number }>((resolve, reject) => {
    const sent = request(
      new URL(path, url),
      { method: "POST", headers: { authorization: "Bearer t", ...headers }, agent: new Agent() },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on("end", () => {
          const id = response.headers["x-request-id"] as string | undefined;
          resolve({ status: response.statusCode!, id, bytes });
        });
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

describe("a request's line in the log", () => {
  test("a request's line and its response have the client's id if it is well-formed, else a new one", async () => {
    await start(...LOGGED);
    const bad = ["two words", 'a"b', "x".repeat(129), "ä", "a\tb", ""];
    const given = await send(["PING"], { "x-request-id": "req-7.a_b/c=" });
    const made = await send(["PING"]);
    const replaced = [];
    for (const id of bad)
      replaced.push(await send(["PING"], { "x-request-id": Buffer.from(id).toString("latin1") }));
    const twice = await send(["PING"], { "x-request-id": ["a", "b"] });
    expect(given.id).toBe("req-7.a_b/c=");
    for (const { id, status } of [made, ...replaced, twice]) {
      expect(status).toBe(200);
      expect(id).toMatch(UUID);
    }
    const ids = (await lines(bad.length + 3)).map(({ requestId }) => requestId);
    expect(ids).toEqual([given, made, ...replaced, twice].map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("refusals and failures have a line with an id", async () => {
    await start(...LOGGED);
    const refused = await send(["PING"], { authorization: "Bearer wrong", "x-request-id": "one" });
    const wrong = await send(["NOSUCH"], { "x-request-id": "two" });
    expect([refused, wrong].map(({ status, id }) => [status, id])).toEqual([
      [401, "one"],
      [400, "two"],
    ]);
    expect((await lines(2)).map(({ requestId, status }) => [status, requestId])).toEqual([
      [401, "one"],
      [400, "two"],
    ]);
  });

  test("a request whose client disconnects first has the status 0", async () => {
    await start(...LOGGED);
    const headers = { authorization: "Bearer t" };
    const client = new AbortController();
    const left = fetch(new URL("/blpop/none/9", url), { headers, signal: client.signal }).catch(() => {});
    const metrics = async () => (await fetch(new URL("/metrics", url), { headers })).text();
    await expect.poll(metrics).toContain('upstream_connections{use="blocking"} 1\n');
    client.abort();
    await left;
    await expect.poll(() => logged().find(({ what }) => what === "BLPOP")).toMatchObject({ status: 0 });
  });

  test("without --log-requests, the client's id is returned and none is generated", async () => {
    await start("--engine", "embedded");
    expect((await send(["PING"], { "x-request-id": "mine" })).id).toBe("mine");
    expect((await send(["PING"])).id).toBeUndefined();
  });

  test("a request's line has its trace context if the header is well-formed", async () => {
    await start(...LOGGED);
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const good = `00-${trace}-00f067aa0ba902b7-01`;
    const bad = [
      good.toUpperCase(),
      `ff-${trace}-00f067aa0ba902b7-01`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `00-${trace}-${"0".repeat(16)}-01`,
      `${good}x`,
      "secret",
    ];
    for (const traceparent of [good, ...bad]) await send(["PING"], { traceparent });
    await send(["PING"], { traceparent: [good, good] });
    const [first, ...others] = await lines(bad.length + 2);
    expect(first).toMatchObject({ trace_id: trace, span_id: "00f067aa0ba902b7", trace_flags: "01" });
    for (const line of others) expect(Object.keys(line)).not.toContain("trace_id");
    expect(cli.stderr).not.toContain("secret");
  });

  test("a request's line has the sizes of request and response, and the time in Redis", async () => {
    await start(...LOGGED);
    await send(["SET", "k", "x".repeat(2_000)]);
    const get = await send(["GET", "k"]);
    await send(["BLPOP", "none", "0.2"]);
    await send(commands("GET k", "GET k"), {}, "/pipeline");
    await send(["AUTH", "x"]);
    const [set, got, waited, batch, refused] = await lines(5);
    expect(set).toMatchObject({ requestBytes: JSON.stringify(["SET", "k", "x".repeat(2_000)]).length });
    expect(got).toMatchObject({ what: "GET", responseBytes: get.bytes, status: 200 });
    expect(waited!.upstreamMs).toBeGreaterThan(190);
    for (const { ms, upstreamMs } of [set!, got!, waited!, batch!]) {
      expect(upstreamMs).toBeGreaterThan(0);
      expect(upstreamMs).toBeLessThanOrEqual(ms as number);
    }
    expect(refused).not.toHaveProperty("upstreamMs");
  });
});

describe("--slow-log", () => {
  test("--slow-log has one line per slow request, with the command's name and no argument", async () => {
    const redis = forTest(await startFakeRedis());
    await start("--redis", redis.url, "--slow-log", "400ms");
    await send(["SET", "secret-key", "secret-value"]);
    redis.script(({ name }) => (name === "GET" ? { late: 600 } : undefined));
    const slow = send(["GET", "secret-key"], { "x-request-id": "slow-one" });
    const batch = send(commands("GET secret-key", "SET secret-key secret-value"), {}, "/pipeline");
    await Promise.all([slow, batch]);
    const found = await lines(2, "slow request");
    const single = found.find(({ route }) => route === "command")!;
    expect(single).toMatchObject({
      level: 40,
      what: "GET",
      token: "main",
      requestId: "slow-one",
      status: 200,
    });
    expect(single.ms).toBeGreaterThan(400);
    expect(single.upstreamMs).toBeGreaterThan(400);
    expect(single.upstreamMs).toBeLessThanOrEqual(single.ms as number);
    expect(found.find(({ route }) => route === "pipeline")).toMatchObject({ what: "2" });
    expect(cli.stderr).not.toContain("secret");
    expect(logged("request")).toEqual([]);
  });

  test("--slow-log has no line for the waiting time of a blocking command", async () => {
    await start("--engine", "embedded", "--slow-log", "400ms");
    await send(["BLPOP", "none", "0.6"]);
    await cli.stop();
    expect(cli.stderr).toBe("");
  });
});
