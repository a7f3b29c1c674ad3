// Runs ioredis' own functional suite over TCP and through warmline/ioredis, and writes the difference into
// docs/ioredis.md. The suite is not in ioredis' npm package: IOREDIS_CHECKOUT names a checkout of its repository, of which
// only the tests are used. The ioredis that is tested is the npm release. REDIS_SERVER names the redis-server to run, by
// default the one on PATH. Port 6379 must be free, since the tests connect to it.
//
//   npm run build && IOREDIS_CHECKOUT=../ioredis node test/compat/ioredis-suite/run.mjs
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join, resolve } from "node:path";
import { createGateway } from "warmline-gateway";
import { reasonFor } from "./reasons.mjs";
import { writeTables } from "./tables.mjs";

const PACKAGES = {
  ioredis: "6.0.0",
  mocha: "11.7.6",
  chai: "4.5.0",
  "chai-as-promised": "7.1.2",
  sinon: "13.0.2",
  "server-destroy": "1.0.1",
};

/** The time in ms without a result after which mocha is ended. */
const SILENCE_LIMIT = 60_000;

const here = import.meta.dirname;
const root = resolve(here, "../../..");
const folder = join(root, "build/ioredis-suite");
const checkout = process.env.IOREDIS_CHECKOUT && resolve(process.env.IOREDIS_CHECKOUT);
const redisServer = process.env.REDIS_SERVER ?? "redis-server";

if (!checkout || !existsSync(join(checkout, "test/functional"))) {
  throw new Error("IOREDIS_CHECKOUT must name a checkout of https://github.com/redis/ioredis");
}
if (await isOpen()) throw new Error("port 6379 is in use: the tests need it for a Redis of their own");

const packages = join(folder, "node_modules");
if (!existsSync(join(packages, "ioredis/built"))) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
}

const functional = join(checkout, "test/functional");
const only = process.env.IOREDIS_FILES?.split(",");
const files = readdirSync(functional, { recursive: true })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("cluster"))
  .filter((file) => !only || only.some((name) => file.includes(name)))
  .sort()
  .map((file) => join(functional, file));

const redis = spawn(
  redisServer,
  ["--port", "6379", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
  {
    cwd: folder,
    stdio: "ignore",
  },
);
try {
  while (!(await isOpen())) await new Promise((resolve) => setTimeout(resolve, 50));
  const tcp = await runSuite("tcp", {});
  const gateway = await createGateway({
    port: 0,
    redis: "redis://127.0.0.1:6379",
    allowCommand: ["CONFIG"],
  });
  console.log(`TCP: ${tcp.filter(({ state }) => state === "passed").length} of ${tcp.length} passed`);
  const http = await runSuite("http", { SUITE_URL: gateway.url, SUITE_TOKEN: gateway.token });
  await gateway.close();

  const passed = (results) => results.filter(({ state }) => state === "passed");
  const overTcp = passed(tcp);
  const keys = new Set(passed(http).map(keyOf));
  const byKey = new Map(http.map((result) => [keyOf(result), result]));
  const lost = overTcp
    .filter((result) => !keys.has(keyOf(result)))
    .map((result) => ({ ...result, error: byKey.get(keyOf(result))?.error ?? "did not run" }))
    .map((result) => ({ ...result, reason: reasonFor(result) }));
  const summary = {
    redis: execFileSync(redisServer, ["--version"])
      .toString()
      .match(/v=(\S+)/)[1],
    ioredis: PACKAGES.ioredis,
    files: files.length,
    tcp: overTcp.length,
    http: overTcp.length - lost.length,
    throughConnector: overTcp.filter(
      (result) => byKey.get(keyOf(result))?.uses > 0 && keys.has(keyOf(result)),
    ).length,
    lost,
  };
  writeFileSync(join(folder, "summary.json"), JSON.stringify(summary, null, 2));
  const { lost: _, ...counts } = summary;
  console.log(counts);
  writeTables(join(root, "docs/ioredis.md"), summary);
} finally {
  redis.kill();
}

function keyOf({ file, title, nth }) {
  return `${file} ${title} ${nth}`;
}

/** Returns the result of each test. */
async function runSuite(name, env) {
  const results = join(folder, `${name}.jsonl`);
  const read = () =>
    existsSync(results)
      ? readFileSync(results, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];
  rmSync(results, { force: true });
  // An error in a hook of all tests ends mocha: it goes on with the next file.
  for (let rest = files; rest.length > 0; ) {
    await runMocha(rest, { ...env, SUITE_RESULTS: results });
    const done = new Set(read().map(({ file }) => join(checkout, file)));
    const last = rest.findLastIndex((file) => done.has(file));
    rest = rest.slice(Math.max(last, 0) + 1);
  }
  // Titles repeat: a test is known by its file, its title, and how many of that title were before it.
  const seen = new Map();
  return read().map((result) => {
    const key = `${result.file} ${result.title}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { ...result, nth: seen.get(key) };
  });
}

function runMocha(tests, env) {
  const mocha = spawn(
    process.execPath,
    [
      join(packages, "mocha/bin/mocha.js"),
      ...["--require", join(here, "hooks.cjs"), "--reporter", join(here, "reporter.cjs")],
      ...["--timeout", "8000", "--exit", "--no-config", "--no-package"],
      ...[join(checkout, "test/helpers/global.ts"), ...tests],
    ],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", process.env.SUITE_VERBOSE ? "inherit" : "ignore"],
      env: { ...process.env, NODE_ENV: "test", SUITE_CHECKOUT: checkout, SUITE_PACKAGES: packages, ...env },
    },
  );
  // A test may keep mocha from going on.
  const sizeOf = () => (existsSync(env.SUITE_RESULTS) ? statSync(env.SUITE_RESULTS).size : 0);
  let size = sizeOf();
  const timer = setInterval(() => {
    if (sizeOf() === size) mocha.kill("SIGKILL");
    size = sizeOf();
  }, SILENCE_LIMIT);
  return new Promise((resolve) => mocha.once("exit", resolve)).finally(() => clearInterval(timer));
}

/** Whether something listens on port 6379. */
function isOpen() {
  return new Promise((resolve) => {
    const socket = createConnection({ port: 6379, host: "127.0.0.1" });
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
