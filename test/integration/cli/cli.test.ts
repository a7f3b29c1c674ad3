import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePorts, startFakeRedis } from "warmline-testbed";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { UsageError } from "../../../gateway/src/cli/usage-error.js";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { startServer } from "../../support/start-server.js";
import { CliProcess, post, STATE_FOLDER } from "./cli-process.js";

const scratch = newFolder("test");

function cli(args: readonly string[], environment?: NodeJS.ProcessEnv): CliProcess {
  return forTest(new CliProcess(args, environment));
}

/** A gateway on the embedded engine and any free port, up to its ready line. */
async function ready(args: readonly string[], environment?: NodeJS.ProcessEnv) {
  const started = cli(["--engine", "embedded", "--port", "0", ...args], environment);
  const [, url] = await started.printed(/^warmline-gateway ready (\S+)\n/);
  return { started, url: url as string };
}

/** The status and the type of the response to a browser. */
async function page(url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: "text/html,*/*;q=0.8" } });
  await response.text();
  return `${response.status} ${response.headers.get("content-type")}`;
}

async function takenPort(): Promise<number> {
  return forTest(await startServer(createServer())).port;
}

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
    expect(await page(url)).toBe("200 text/html; charset=utf-8");
  });

  test("with a given token the console page is on if requested", async () => {
    const file = join(scratch, "given-token");
    writeFileSync(file, "secret-token\n");
    const { started, url } = await ready(["--host", "0.0.0.0", "--console"], {
      WARMLINE_GATEWAY_TOKEN_FILE: file,
    });
    await started.printed(/UPSTASH_REDIS_REST_URL=\S+\n/);
    expect((await post(url, "secret-token", ["PING"])).status).toBe(200);
    expect(await page(url)).toBe("200 text/html; charset=utf-8");
    expect(started.stdout).toContain(`WARMLINE_URL=${url}\n`);
  });

  test("--no-console turns the console page off", async () => {
    const { url } = await ready(["--no-console"]);
    expect(await page(url)).toBe("401 application/json");
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
});

describe("settings", () => {
  test("flags override the environment, which overrides the config file", () => {
    const config = join(scratch, "config.json");
    writeFileSync(config, JSON.stringify({ token: "from-file", maxBodySize: "1kb", engine: "embedded" }));
    const given = { token: "from-file", maxBodySize: 1024 };
    expect(readSettings(["--config", config], {}).options).toMatchObject(given);
    const variable = { WARMLINE_GATEWAY_CONFIG: config, WARMLINE_GATEWAY_TOKEN: "from-environment" };
    expect(readSettings([], variable).options).toMatchObject({ ...given, token: "from-environment" });
    const flags = ["--token", "from-flag", "--max-body-size", "2kb"];
    expect(readSettings(flags, variable).options).toMatchObject({ token: "from-flag", maxBodySize: 2048 });
  });

  test("flags after the dashes belong to the command", () => {
    const { command, options } = readSettings(["--", "node", "-p", "1", "--", "--port", "5"], {});
    expect(command).toEqual(["node", "-p", "1", "--", "--port", "5"]);
    expect(options.port).toBeUndefined();
  });

  test("--redis on the command line overrides an engine in the environment", () => {
    const settings = readSettings(["--redis", "redis://a.test"], { WARMLINE_GATEWAY_ENGINE: "embedded" });
    expect(settings.options).toEqual({ redis: "redis://a.test" });
  });
});

describe("what is wrong is said in one line", () => {
  const missing = join(scratch, "missing.json");
  const broken = join(scratch, "broken.json");
  const unknown = join(scratch, "unknown.json");
  writeFileSync(broken, '{\n  "port": 1\n  "host": "x"\n}\n');
  writeFileSync(unknown, '{\n  "port": 1,\n  "hots": "x"\n}\n');

  test.each<[string[], string]>([
    [["--prot", "1"], "unknown option '--prot'; see --help"],
    [["--port"], "option '--port <value>' argument missing; see --help"],
    [
      ["npm", "run", "dev"],
      "argument 1 is unexpected; a command to run comes after --, as in: warmline-gateway -- npm run dev",
    ],
    [["--"], "there is no command after --"],
    [["--port", "70000"], "--port: must be a whole number from 0 to 65535"],
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
  ])("wrong arguments are refused with one line: case %#", (args, message) => {
    expect(() => readSettings(args, {})).toThrow(new UsageError(message));
  });

  test("a refusal ends the process with status 2 and its line on stderr", async () => {
    const started = cli(["--prot", "1"]);
    expect(await started.ended).toBe(2);
    expect(started.stderr).toBe("warmline-gateway: unknown option '--prot'; see --help\n");
    expect(started.stdout).toBe("");
  });
});

test("--help and --version print to stdout and end with 0", async () => {
  const help = cli(["--help"]);
  expect(await help.ended).toBe(0);
  for (const word of ["--port", "--config", "WARMLINE_GATEWAY_PORT"]) expect(help.stdout).toContain(word);
  const version = cli(["--version"]);
  expect(await version.ended).toBe(0);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
