import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startFakeRedis, startRedis } from "../../../testbed/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { RawConnection } from "../gateway/raw-connection.js";
import { CliProcess } from "./cli-process.js";

const folder = newFolder("log");

/** Returns a random text that begins with the secret's name, so that a leak shows its source. */
const newSecret = (name: string) => `${name}${randomBytes(6).toString("hex")}`;

function lines(stderr: string): Record<string, unknown>[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

describe("the log", () => {
  test("the log contains no key, no value and no secret, whatever fails", {
    tags: "redis-server",
  }, async () => {
    const secret = {
      token: newSecret("token"),
      wrong: newSecret("wrong"),
      key: newSecret("key"),
      value: newSecret("value"),
      command: newSecret("command"),
      password: newSecret("password"),
      user: newSecret("passwd"),
      header: newSecret("header"),
    };
    const redis = await startRedis({ listen: "tcp" });
    await redis.command("CONFIG", "SET", "requirepass", secret.password);
    const tokens = join(folder, "tokens.yaml");
    writeFileSync(
      tokens,
      JSON.stringify([
        { name: "all", token: secret.token, role: "admin" },
        { name: "ann", token: `${secret.token}2`, user: { username: "ann", password: secret.user } },
      ]),
    );
    const password = join(folder, "password");
    writeFileSync(password, secret.password);
    const cli = new CliProcess(
      [
        ...["--port", "0", "--redis", redis.url, "--tokens-file", tokens],
        ...["--log-level", "debug", "--log-requests", "--max-body-size", "2kb", "--command-timeout", "3s"],
      ],
      { WARMLINE_GATEWAY_REDIS_PASSWORD_FILE: password },
    );
    try {
      const [, url] = (await cli.printed(/^warmline-gateway ready (\S+)\n/)) as unknown as [string, string];
      const { key, value, token, wrong } = secret;
      const send = (path: string, body?: string, headers: Record<string, string> = {}, method?: string) =>
        fetch(url + path, {
          method: method ?? (body === undefined ? "GET" : "POST"),
          body: body ?? null,
          headers: { authorization: `Bearer ${token}`, ...headers },
        }).then((response) => response.text());
      const json = (...words: string[]) => JSON.stringify(words);
      await Promise.all([
        send("/", json("SET", key, value)),
        send(`/set/${key}/${value}?EX=100&_token=${token}`),
        send(`/get/${key}?_token=${wrong}`, undefined, { authorization: "" }),
        send(`/get/${key}`, undefined, { authorization: `Bearer ${wrong}` }),
        send("/", json(secret.command, key, value)),
        send("/", json("INCRBY", key, value)),
        send("/", json("CONFIG", "SET", key, value)),
        send("/", `["SET","${key}",${value}`),
        send("/", json("SET", key, value.repeat(200))),
        send("/pipeline", JSON.stringify([["SET", key, value], [secret.command], ["LPUSH", key, value]])),
        send(
          "/multi-exec",
          JSON.stringify([
            ["SET", key, value],
            [secret.command, value],
          ]),
        ),
        send("/", json("GET", key), { authorization: `Bearer ${token}2` }),
        send(`/%zz${key}`),
        send(`/${key}/${value}`, undefined, {}, "DELETE"),
        send("/", json("GET", key), { "upstash-encoding": secret.header }),
        send("/", json("GET", key), { origin: `https://${secret.header}.test` }),
        send(`/subscribe/${key}`, undefined, { authorization: `Bearer ${token}2` }),
        send("/", json("EVAL", `error("${value}")`, "0")),
      ]);
      // A request that no HTTP client would send.
      await sendRaw(
        url,
        `GET /${key} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nx${value} : ${secret.header}\r\n\r\n`,
      );
      await redis.kill();
      await Promise.all([
        send("/", json("SET", key, value)),
        send("/", json("BLPOP", key, "1")),
        send("/multi-exec", JSON.stringify([["SET", key, value]])),
      ]);
      // Replace the tokens file by an invalid one.
      writeFileSync(tokens, `- { name: ${value}, token: ${wrong}, role: ${key} }\n`);
      await cli.printed(/tokens were not reloaded/, "stderr");
      await cli.printed(/requests failed/, "stderr");
    } finally {
      await cli.stop();
      await redis.stop();
    }
    const output = cli.stdout + cli.stderr;
    for (const [name, text] of Object.entries(secret))
      expect({ name, leaked: output.includes(text) }).toEqual({ name, leaked: false });
    const logged = lines(cli.stderr);
    const requests = logged.filter(({ msg }) => msg === "request");
    expect(requests.length).toBeGreaterThan(18);
    const setRequest = {
      method: "POST",
      route: "command",
      what: "SET",
      token: "all",
      status: 200,
      ms: expect.any(Number),
    };
    expect(requests).toContainEqual(expect.objectContaining(setRequest));
    expect(requests).toContainEqual(expect.objectContaining({ route: "pipeline", what: "3", status: 200 }));
    expect(requests).toContainEqual(expect.objectContaining({ what: "unknown", status: 400 }));
    expect(logged).toContainEqual(
      expect.objectContaining({ level: 40, failed: expect.objectContaining({ 503: expect.any(Number) }) }),
    );
  });

  describe("when the gateway itself fails", () => {
    const secret = newSecret("secret");
    /** Returns variables with which the gateway throws after SIGUSR2: in each token check, or once outside of requests. */
    const throwOnSignal = (where: "request" | "process") => {
      const file = join(folder, `${where}.mjs`);
      const failure = `throw new TypeError("${secret}")`;
      const actions = {
        request: `crypto.timingSafeEqual = () => { ${failure} }; syncBuiltinESMExports();`,
        process: `${failure};`,
      };
      writeFileSync(
        file,
        `import crypto from "node:crypto"; import { syncBuiltinESMExports } from "node:module";
        process.on("SIGUSR2", () => { ${actions[where]} });`,
      );
      return { NODE_OPTIONS: `--import ${file}` };
    };
    const start = async (where: "request" | "process", ...args: string[]) => {
      const cli = forTest(new CliProcess(["--port", "0", "--token", "t", ...args], throwOnSignal(where)));
      const [, url] = await cli.printed(/^warmline-gateway ready (\S+)\n/);
      // Use a new connection per request: on a kept one, a head equal to the last is not parsed and its token not checked.
      const headers = { authorization: "Bearer t", connection: "close" };
      return { cli, get: () => fetch(`${url}/get/k`, { headers }) };
    };
    test("an internal error is logged with its stack but not its message, and the gateway continues", async () => {
      const { cli, get } = await start("request", "--engine", "embedded");
      cli.child.kill("SIGUSR2");
      await expect.poll(async () => (await get()).status, { timeout: 10_000 }).toBe(500);
      expect(await (await get()).json()).toEqual({ error: "ERR internal error of the gateway" });
      expect(await cli.stop()).toBe(0);
      expect(cli.stderr).not.toContain(secret);
      const logged = lines(cli.stderr).filter(({ level }) => level === 50);
      expect(logged[0]).toMatchObject({
        msg: "a request failed with an internal error",
        error: "TypeError",
        at: expect.arrayContaining([expect.stringContaining("request.mjs")]),
      });
      // Every line of stderr is a log entry.
      expect(cli.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
    });

    test("an uncaught error is logged, then the process exits with 1", async () => {
      const { cli } = await start("process", "--engine", "embedded");
      cli.child.kill("SIGUSR2");
      expect(await cli.ended).toBe(1);
      expect(cli.stderr).not.toContain(secret);
      expect(lines(cli.stderr)).toEqual([
        expect.objectContaining({
          level: 60,
          error: "TypeError",
          at: expect.arrayContaining([expect.stringContaining("process.mjs")]),
        }),
      ]);
    });
  });
});

/** Sends bytes on a new connection. Returns the status of the response. */
async function sendRaw(url: string, bytes: string): Promise<number> {
  const connection = new RawConnection({ url });
  connection.socket.end(bytes);
  await connection.closed;
  return Number(connection.text.split(" ")[1]);
}

test("malformed requests are counted by reason, in /metrics and in few lines of the log", async () => {
  const redis = forTest(await startFakeRedis());
  const cli = forTest(new CliProcess(["--port", "0", "--redis", redis.url, "--token", "t"]));
  const [, url] = (await cli.printed(/^warmline-gateway ready (\S+)$/m)) as unknown as [string, string];
  const headers = "Host: 127.0.0.1\r\nAuthorization: Bearer t\r\n";
  const heads: [bytes: string, status: number, reason: string][] = [
    ["GET / HTTP/1.1\r\n\r\n", 400, "the Host header is missing"],
    [`GET /${"x".repeat(20_000)} HTTP/1.1\r\n\r\n`, 414, "the request target is too long"],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "the request head is too large"],
    [
      `POST / HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\nsecret\r\n`,
      400,
      "a chunk size is not a hexadecimal number",
    ],
  ];
  const each = 50;
  for (const [bytes, status] of heads) {
    const statuses = await Promise.all(Array.from({ length: each }, () => sendRaw(url, bytes)));
    expect(new Set(statuses)).toEqual(new Set([status]));
  }
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer t" } });
  const text = await metrics.text();
  const counted = new Map(heads.map(([, , reason]) => [reason, each]));
  for (const reason of counted.keys())
    expect(text).toContain(`\nwarmline_gateway_malformed_requests_total{reason="${reason}"} ${each}\n`);
  await cli.stop();
  const reports = lines(cli.stderr).filter(({ malformed }) => malformed);
  expect(reports.length).toBeLessThan(each);
  const logged = new Map<string, number>();
  for (const { malformed } of reports)
    for (const [reason, count] of Object.entries(malformed as Record<string, number>))
      logged.set(reason, (logged.get(reason) ?? 0) + count);
  expect(logged).toEqual(counted);
  expect(cli.stderr).not.toContain("secret");
});

describe("the connection that event streams share", { tags: "redis-server" }, () => {
  test("its loss is logged", async () => {
    const redis = forTest(await startRedis());
    const cli = forTest(new CliProcess(["--port", "0", "--redis", redis.url, "--token", "t"]));
    const [, url] = (await cli.printed(/^warmline-gateway ready (\S+)$/m)) as unknown as [string, string];
    const { body } = await fetch(`${url}/subscribe/news`, { headers: { authorization: "Bearer t" } });
    const reader = body!.getReader();
    await reader.read();
    await redis.command("CLIENT", "KILL", "TYPE", "pubsub");
    await cli.printed(/"lost":\{"[^"]+":1\},"msg":"connections for event streams were lost/, "stderr");
    await reader.cancel();
  });
});
