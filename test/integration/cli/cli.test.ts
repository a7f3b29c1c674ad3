import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { freePorts, startFakeRedis } from "warmline-testbed";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { UsageError } from "../../../gateway/src/cli/usage-error.js";
import { CliProcess, post, STATE_FOLDER } from "./cli-process.js";

const scratch = mkdtempSync(join(tmpdir(), "warmline-test-"));
const running: CliProcess[] = [];
const servers: Server[] = [];

function cli(args: readonly string[], environment?: NodeJS.ProcessEnv): CliProcess {
  const started = new CliProcess(args, environment);
  running.push(started);
  return started;
}

/** A gateway on the embedded engine and any free port, up to its ready line. */
async function ready(args: readonly string[], environment?: NodeJS.ProcessEnv) {
  const started = cli(["--engine", "embedded", "--port", "0", ...args], environment);
  const [, url] = await started.printed(/^warmline-gateway ready (\S+)\n/);
  return { started, url: url as string };
}

async function takenPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("a gateway that runs until it is stopped", () => {
  test("the gateway prints only the ready line, the engine and the lines for .env", async () => {
    const { started, url } = await ready([]);
    const [, token] = await started.printed(/UPSTASH_REDIS_REST_TOKEN=(\S+)\n/);
    expect(started.stdout).toBe(
      [
        `warmline-gateway ready ${url}`,
        "engine: embedded (js-redis-server, in memory; for development and tests)",
        `token: kept in ${join(STATE_FOLDER, "warmline-gateway", "token")}`,
        `console: ${url}/#${token}`,
        "",
        `WARMLINE_URL=${url}`,
        `WARMLINE_TOKEN=${token}`,
        `UPSTASH_REDIS_REST_URL=${url}`,
        `UPSTASH_REDIS_REST_TOKEN=${token}`,
        "",
      ].join("\n"),
    );
    expect(started.stderr).toBe("");
    expect(await post(url, token as string, ["SET", "k", "v"])).toEqual({
      status: 200,
      body: { result: "OK" },
    });
    expect((await post(url, "wrong", ["GET", "k"])).status).toBe(401);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s closes the gateway cleanly, with status 0",
    async (signal) => {
      const { started, url } = await ready([]);
      await post(url, "x", ["PING"]);
      started.child.kill(signal);
      expect(await started.ended).toBe(0);
      await expect(fetch(url)).rejects.toThrow();
    },
  );

  test("flags override the environment, which overrides the config file", async () => {
    const config = join(scratch, "config.json");
    writeFileSync(
      config,
      JSON.stringify({ token: "from-file", maxBodySize: "1kb", engine: "embedded", port: 0 }),
    );
    const file = cli(["--config", config]);
    const [, url] = (await file.printed(/ready (\S+)\n/)) as unknown as [string, string];
    expect((await post(url, "from-file", ["PING"])).body).toEqual({ result: "PONG" });
    expect((await post(url, "from-file", ["ECHO", "x".repeat(1100)])).status).toBe(413);
    const variable = { WARMLINE_GATEWAY_CONFIG: config, WARMLINE_GATEWAY_TOKEN: "from-environment" };
    const environment = cli([], variable);
    const [, url2] = (await environment.printed(/ready (\S+)\n/)) as unknown as [string, string];
    expect((await post(url2, "from-environment", ["PING"])).status).toBe(200);
    const flag = cli(["--token", "from-flag", "--max-body-size", "2kb"], variable);
    const [, url3] = (await flag.printed(/ready (\S+)\n/)) as unknown as [string, string];
    expect((await post(url3, "from-flag", ["ECHO", "x".repeat(1100)])).status).toBe(200);
    expect((await post(url3, "from-environment", ["PING"])).status).toBe(401);
  });

  test("--trace-commands prints the names and keys of commands, without values", async () => {
    const { started, url } = await ready(["--token", "t", "--trace-commands"]);
    await post(url, "t", ["SET", "user:1", "secret-value"]);
    await started.printed(/^\d\d:\d\d:\d\d\.\d{3} SET user:1 \d+\.\d ms\n/m);
    await post(url, "t", ["INCR", "user:1"]);
    await started.printed(/ INCR user:1 \d+\.\d ms ERR\n/);
    expect(started.stdout + started.stderr).not.toContain("secret-value");
  });

  test("the console page is on for a generated token, and for a given one only when requested", async () => {
    const page = async (url: string) => {
      const response = await fetch(url, { headers: { accept: "text/html,*/*;q=0.8" } });
      await response.text();
      return `${response.status} ${response.headers.get("content-type")}`;
    };
    const random = await ready([]);
    expect(await page(random.url)).toBe("200 text/html; charset=utf-8");
    const given = await ready(["--token", "t"]);
    expect(await page(given.url)).toBe("401 application/json");
    expect(given.started.stdout).not.toContain("console");
    const requested = await ready(["--token", "t", "--console"]);
    expect(await page(requested.url)).toBe("200 text/html; charset=utf-8");
    const refused = await ready(["--no-console"]);
    expect(await page(refused.url)).toBe("401 application/json");
  });

  test.each([
    "--token",
    "--token-file",
    "WARMLINE_GATEWAY_TOKEN",
    "WARMLINE_GATEWAY_TOKEN_FILE",
    "a config file",
  ])("a token given by %s is not printed", async (how) => {
    const file = join(scratch, `given-${how.replaceAll(/\W/g, "")}`);
    const isConfig = how === "a config file";
    writeFileSync(file, isConfig ? "token: secret-token\nconsole: true\n" : "secret-token\n");
    const value = /file/i.test(how) ? file : "secret-token";
    const args = how.startsWith("--") ? [how, value] : isConfig ? ["--config", file] : [];
    const environment = how.startsWith("WARMLINE") ? { [how]: value } : {};
    for (const host of how === "--token" ? ["127.0.0.1", "0.0.0.0"] : ["0.0.0.0"]) {
      const { started, url } = await ready(["--host", host, "--console", ...args], environment);
      await started.printed(/UPSTASH_REDIS_REST_URL=\S+\n/);
      expect((await post(url, "secret-token", ["PING"])).status).toBe(200);
      expect(started.stdout).toContain(`WARMLINE_URL=${url}\n`);
      expect(started.stdout + started.stderr).not.toMatch(/secret-token|TOKEN/);
    }
  });

  test("--redis uses a running Redis, and prints its address without the password", async () => {
    const port = await takenPort();
    const started = cli(["--port", "0", "--redis", `redis://user:hidden@127.0.0.1:${port}/1`]);
    await started.printed(new RegExp(`^engine: redis at 127\\.0\\.0\\.1:${port}$`, "m"));
    expect(started.stdout + started.stderr).not.toContain("hidden");
  });

  test("--redis that refuses connections is named with the reason, in the ready lines and in the log", async () => {
    const [port] = await freePorts(1);
    const started = cli(["--port", "0", "--redis", `redis://127.0.0.1:${port}`, "--log-level", "info"]);
    const problem = `redis at 127.0.0.1:${port} cannot be reached: ECONNREFUSED`;
    await started.printed(new RegExp(`^problem: ${problem}; commands fail until it replies$`, "m"));
    await started.printed(new RegExp(`"msg":"${problem}"`), "stderr");
    const redis = await startFakeRedis(undefined, { port: port! });
    await started.printed(new RegExp(`"msg":"redis at 127.0.0.1:${port} can be reached"`), "stderr");
    await redis.close();
    expect(started.stderr.split(problem)).toHaveLength(2);
  });

  test("--redis on the command line overrides an engine in the environment", async () => {
    const port = await takenPort();
    const started = cli(["--port", "0", "--redis", `redis://127.0.0.1:${port}`], {
      WARMLINE_GATEWAY_ENGINE: "embedded",
    });
    await started.printed(/^engine: redis at/m);
  });
});

describe("what is wrong is said in one line", () => {
  const missing = join(scratch, "missing.json");
  const broken = join(scratch, "broken.json");
  const unknown = join(scratch, "unknown.json");
  writeFileSync(broken, '{\n  "port": 1\n  "host": "x"\n}\n');
  writeFileSync(unknown, '{\n  "port": 1,\n  "hots": "x"\n}\n');

  const refusal = (args: string[], environment: NodeJS.ProcessEnv = {}) => {
    try {
      readSettings(args, environment);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      return (error as Error).message;
    }
    return undefined;
  };

  test.each<[string[], string]>([
    [["--prot", "1"], "unknown option '--prot'; see --help"],
    [["--port"], "option '--port <value>' argument missing; see --help"],
    [
      ["npm", "run", "dev"],
      "argument 1 is unexpected; a command to run comes after --, as in: warmline-gateway -- npm run dev",
    ],
    [["--"], "there is no command after --"],
    [["--port", "eighty"], "--port: must be a whole number"],
    [["--port", "70000"], "--port: must be a whole number from 0 to 65535"],
    [["--token", " "], "--token: is empty"],
    [["--max-body-size", "10tb"], "--max-body-size: must be a size such as 500kb or 20mb"],
    [
      ["--host", "0.0.0.0"],
      "--token: must be given to listen beyond loopback; set token, or host to 127.0.0.1",
    ],
    [
      ["--redis", "redis://x", "--engine", "embedded"],
      "--redis and --engine cannot both be given: use a running Redis, or start one",
    ],
    [["--config", missing], `config file ${missing}: there is no such file`],
    [
      ["--config", broken],
      `config file ${broken}: line 2, column 11: not valid YAML or JSON (multiline implicit key)`,
    ],
    [
      ["--config", unknown],
      `config file ${unknown}: line 3: there is no setting "hots"; did you mean "host"?`,
    ],
  ])("%j is refused with one line", (args, message) => {
    expect(refusal(args)).toBe(message);
  });

  test("a refusal ends the process with status 2 and its line on stderr", async () => {
    const started = cli(["--prot", "1"]);
    expect(await started.ended).toBe(2);
    expect(started.stderr).toBe("warmline-gateway: unknown option '--prot'; see --help\n");
    expect(started.stdout).toBe("");
  });

  test("a bad value in the environment names the variable", () => {
    expect(refusal([], { WARMLINE_GATEWAY_PORT: "x" })).toBe("WARMLINE_GATEWAY_PORT: must be a whole number");
  });

  test("a redis:// url that cannot be read does not appear in the message", () => {
    const message = refusal(["--redis", "http://user:hidden@host"]);
    expect(message).toMatch(/^--redis: unknown scheme; expected redis:.*$/);
    expect(message).not.toContain("hidden");
  });

  test("a port in use fails with status 1 and says what to do", async () => {
    const port = await takenPort();
    const started = cli(["--engine", "embedded", "--port", String(port)]);
    expect(await started.ended).toBe(1);
    expect(started.stderr).toBe(
      `warmline-gateway: port: ${port} is in use on 127.0.0.1; choose another, or 0 for any free one\n`,
    );
  });

  test("an engine that does not start fails with status 1", async () => {
    const started = cli(["--engine", "/no/such/redis-server"]);
    expect(await started.ended).toBe(1);
    expect(started.stderr).toBe("warmline-gateway: /no/such/redis-server is not a program that can be run\n");
  });
});

test("--help and --version print to stdout and end with 0", async () => {
  const help = cli(["--help"]);
  expect(await help.ended).toBe(0);
  for (const word of [
    "--port",
    "--host",
    "--token",
    "--redis",
    "--engine",
    "--max-body-size",
    "--config",
    "WARMLINE_GATEWAY_PORT",
  ]) {
    expect(help.stdout).toContain(word);
  }
  const version = cli(["--version"]);
  expect(await version.ended).toBe(0);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
