import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { startEngine } from "../../../gateway/src/engine/start-engine.js";
import { runSeed } from "../../../gateway/src/seed/run-seed.js";
import { readSeedFile, SeedError } from "../../../gateway/src/seed/seed-file.js";
import { resolveSettings } from "../../../gateway/src/settings/options.js";
import { sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { CliProcess, post } from "./cli-process.js";

const scratch = newFolder("seed");
let files = 0;
const file = (text: string) => {
  const path = join(scratch, `seed${files++}`);
  writeFileSync(path, text);
  return path;
};

let cli: CliProcess;
afterEach(() => cli?.stop());
async function start(...args: string[]) {
  cli = new CliProcess(["--port", "0", "--token", "t", ...args]);
  const [, url] = await cli.printed(/^warmline-gateway ready (\S+)$/m);
  return (...words: string[]) =>
    post(url!, "t", words).then(({ body }) => (body as { result: unknown }).result);
}

const SEED = `# users
SET user:1 "Ada \\xe2\\x82\\xac"
["HSET","user:2","name","Grace","age",45]
RPUSH log a b 'it\\'s'
`;
test("the seed's data is there at the ready line, which reports it, and commands run in order", async () => {
  const path = file(SEED + Array.from({ length: 5_000 }, (_, i) => `RPUSH list ${i}\n`).join(""));
  const ask = await start("--engine", "embedded", "--seed", path);
  await cli.printed(new RegExp(`^seed: ${path}, 5003 commands$`, "m"));
  expect(await ask("GET", "user:1")).toBe("Ada €");
  expect(await ask("HGETALL", "user:2")).toEqual(["name", "Grace", "age", "45"]);
  expect(await ask("LRANGE", "log", "0", "-1")).toEqual(["a", "b", "it's"]);
  expect(await ask("LLEN", "list")).toBe(5_000);
  expect(await ask("LRANGE", "list", "2998", "3001")).toEqual(["2998", "2999", "3000", "3001"]);
});

for (const [engine, options] of [
  ["embedded", {}],
  ["auto", { tags: "redis-server" }],
] as const) {
  const name = `a seed leaves kept data alone, and one that fails ends the gateway and is not kept, on ${engine}`;
  test(name, options, async () => {
    const args = ["--engine", engine, "--persist", join(scratch, `data-${engine}`)];
    const failing = file("RPUSH log secret\nINCR log\n");
    cli = new CliProcess(["--port", "0", ...args, "--seed", failing]);
    expect(await cli.ended).toBe(1);
    expect(cli.stdout).toBe("");
    expect(cli.stderr).toContain(`warmline-gateway: seed: ${failing}: line 2: INCR failed: WRONGTYPE`);
    expect(cli.stderr).not.toContain("secret");
    const path = file("RPUSH log a b\n");
    const ask = await start(...args, "--seed", path);
    expect(await ask("LLEN", "log")).toBe(2);
    await ask("RPUSH", "log", "c");
    await cli.stop();
    const again = await start(...args, "--seed", path);
    await cli.printed(new RegExp(`^seed: ${path} was not run: the kept data has 1 key$`, "m"));
    expect(await again("LRANGE", "log", "0", "-1")).toEqual(["a", "b", "c"]);
  });
}

describe("a seed that fails", () => {
  const engine = sharedByTests(() => startEngine("embedded"));

  test.each([
    [
      "SET a 1\n\nINCR secret-key oops\n",
      "line 3: INCR failed: ERR wrong number of arguments for 'incr' command",
    ],
    ["SET a secret\nINCR a\n", "line 2: INCR failed: ERR value is not an integer or out of range"],
    ["SET a secret\nRPUSH a secret\n", "line 2: RPUSH failed: WRONGTYPE Operation against a key holding"],
    ["NOSUCHCOMMAND secret\n", "line 1: NOSUCHCOMMAND failed: ERR unknown command"],
    ['"secret: a value" x\n', "line 1: the command failed: ERR unknown command"],
    ["EVAL \"return redis.error_reply('secret')\" 0\n", "line 1: EVAL failed: ERR"],
  ])("the seed %j fails at its line", async (text, message) => {
    const path = file(text);
    const error = await runSeed(engine, readSeedFile(path)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SeedError);
    expect(error.message).toContain(`seed: ${path}: ${message}`);
    expect(error.message).not.toContain("secret");
  });
});

test("a seed for a running Redis is refused", () => {
  const args = ["--seed", file(SEED), "--redis", "redis://127.0.0.1:1"];
  expect(() => resolveSettings(readSettings(args, {}).options)).toThrow(
    /--seed: runs commands on a Redis that the gateway starts, and redis names/,
  );
});
