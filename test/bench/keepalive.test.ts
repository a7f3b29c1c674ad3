import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type BenchEnded, rowsOf, bench as runBench, schemaErrors, startBench } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

const bench = (folder: string, ...args: string[]) => runBench(folder, args);

const folder = newFolder("bench");

describe("npm start, a few invocations", () => {
  let ended: BenchEnded;
  let result: any;
  let report: string;

  beforeAll(async () => {
    const few = ["--invocations", "8", "--rtt", "0.5", "--seed", "7"];
    ended = await bench(folder, "start", ...few, "--json", "out.json", "--report", "out.html");
    expect(ended.stderr).not.toContain("Error");
    expect(ended.code).toBe(0);
    result = JSON.parse(readFileSync(join(folder, "out.json"), "utf8"));
    report = readFileSync(join(folder, "out.html"), "utf8");
  }, 240_000);

  test("npm start runs all clients in all variants", () => {
    expect(result.data.map((cell: any) => [cell.client, cell.keepAlive, cell.reused].join())).toEqual(
      ["warmline", "upstash", "agent"].flatMap((client) =>
        ["true,true", "true,false", "false,true", "false,false"].map((variant) => `${client},${variant}`),
      ),
    );
    for (const cell of result.data) {
      expect(cell.warm).toMatchObject({ count: 35, rounds: 5, p50: { n: 5 } });
      expect(cell.warm.min).toBeGreaterThan(0.49);
      expect(cell.warm.medians).toHaveLength(5);
      expect(cell.first.values).toHaveLength(5);
      expect(cell.init.p50.value).toBeGreaterThan(5);
    }
  });

  test("npm start counts connections at the proxy", () => {
    const opened = (client: string, keepAlive: boolean, reused: boolean): number[] =>
      result.data.find(
        (cell: any) => cell.client === client && cell.keepAlive === keepAlive && cell.reused === reused,
      ).opened.values;
    const each = (connections: number) => Array(5).fill(connections);
    expect(opened("warmline", true, true)).toEqual(each(1));
    expect(opened("warmline", true, false)).toEqual(each(1));
    expect(opened("agent", true, true)).toEqual(each(1));
    expect(opened("agent", true, false)).toEqual(each(8));
    for (const client of ["warmline", "upstash", "agent"]) {
      expect(opened(client, false, true)).toEqual(each(8));
      expect(opened(client, false, false)).toEqual(each(8));
    }
  });

  test("npm start freezes each client's processes, and loses the commands of clients that wait for a reply", () => {
    const kept = (client: string) =>
      result.data.find((cell: any) => cell.client === client && cell.keepAlive && cell.reused);
    expect(kept("warmline").lost.values).toEqual([0, 0, 0, 0, 0]);
    expect(kept("warmline").thawed.values).toHaveLength(5);
    expect(kept("warmline").recreatedRatio.values).toHaveLength(5);
    for (const client of ["upstash", "agent"]) {
      expect(kept(client).lost.values).toEqual([1, 1, 1, 1, 1]);
      expect(kept(client).recreatedRatio).toBeUndefined();
    }
  });

  test("npm start records the machine and the command that repeats it", () => {
    expect(result).toMatchObject({ format: 4, scenario: "keepalive", seed: 7 });
    expect(schemaErrors(result)).toEqual([]);
    expect(result.command).toBe("npm start -- --invocations 8 --rtt 0.5 --seed 7");
    expect(result.machine.node).toBe(process.version);
    expect(result.settings).toMatchObject({ invocations: 8, rounds: 5, rttMs: 0.5, tls: true });
    expect(Object.keys(result.versions)).toEqual(["warmline", "@upstash/redis", "warmline-gateway"]);
    expect(result.settings.engine).toMatch(/^embedded/);
    expect(result.load).toMatchObject({ before: expect.any(Number) });
  });

  test("npm start says what it measures, for how long and where the report is, and then how far it is", () => {
    expect(ended.stdout).toMatch(
      /^Measuring: Keep-alive in serverless functions, about \d+ s\. Report: out\.html\nHow much faster [^\n]*\?\n\n/,
    );
    expect(ended.stderr).toMatch(/^keepalive: 0%, \d s, about \d+ s left \([^)]+\)\n/);
  });

  test("npm start prints three sentences, a table, the terms, decided checks and the report, in 100 columns", () => {
    const lines = ended.stdout.split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    const blocks = ended.stdout.split("\n\n");
    expect(blocks[1]!.replaceAll("\n", " ")).toMatch(
      // Five small rounds on a busy machine may not decide the first.
      /^(?:A kept connection saved \d+\.\d ms \([^)]+\) per command: a new one took \d+\.\dx as long|It is not clear whether a kept connection saved time: [^)]+\) per command)\. A client created in every call .*, with 1 connection per process\. After a freeze .*, and 0 of 5 were lost \(@upstash\/redis: 5 of 5, bare agent: 5 of 5\)\.$/,
    );
    expect(blocks[2]).toMatch(/^client +keep-alive +client is +cold ms +warm ms +connections\n/);
    expect(blocks[2]).toMatch(/^warmline +on +recreated +\d+\.\d (?:\(|to )\d.* 1$/m);
    expect(blocks[3]).toMatch(/^cold: .*\n/m);
    expect(blocks[3]!.replaceAll("\n", " ")).toContain("round trip 0.5 ms, TLS, embedded");
    const checks = blocks[4]!.split(/\n(?! )/);
    expect(checks).toHaveLength(9);
    for (const check of checks) expect(check).toMatch(/^(yes|no ) {2}\S/);
    expect(blocks[4]).toMatch(/^yes {2}warmline recreated opens one connection per process: 5 connections/m);
    expect(lines).toContain("Report: out.html");
  });

  test("npm start writes a self-contained report with every chart", () => {
    expect(report).toContain("<h1>Keep-alive in serverless functions</h1>");
    expect(report).not.toMatch(/<script|<link rel="stylesheet"|src=|url\(|@import/);
    expect(report.match(/<svg [^>]*class="plot"/g)).toHaveLength(4);
    expect(report.match(/<g [^>]*aria-label="line"/g)).toHaveLength(4 * 3);
    expect(report).not.toMatch(/NaN|undefined|Infinity/);
    expect(report).toContain("color-scheme: light dark");
  });
});

/** Returns the processes that a process has started and that run. */
function childrenOf(pid: number | undefined): string[] {
  const parent = new RegExp(`^PPid:\\s+${pid}$`, "m");
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && parent.test(readFileSync(`/proc/${name}/status`, "utf8"));
    } catch {
      return false; // It has ended.
    }
  });
}

test("Ctrl-C ends npm start and the processes that it started", {
  tags: "linux",
  timeout: 90_000,
}, async () => {
  const child = startBench(folder, ["start", "--rtt", "0"]);
  // The gateway, an instance that runs, and one that is frozen meanwhile.
  await expect
    .poll(() => childrenOf(child.pid).length, { timeout: 60_000, interval: 20 })
    .toBeGreaterThanOrEqual(3);
  const started = childrenOf(child.pid);
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(130);
  await expect
    .poll(() => started.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 10_000 })
    .toEqual([]);
});

test("keepalive and its part measure TCP clients and another HTTP client over TLS; two rounds decide no check", {
  tags: "redis-server",
  timeout: 180_000,
}, async () => {
  const few = ["--invocations", "3", "--rounds", "2", "--rtt", "0", "--clients", "warmline,undici,ioredis"];
  const { code, stderr, stdout } = await bench(folder, "keepalive", ...few, "--json", "tcp.json");
  expect(code, stderr).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, "tcp.json"), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  const { settings, versions } = result;
  expect(settings).toMatchObject({ tls: true, engine: expect.stringMatching(/^redis-server /) });
  expect(Object.keys(versions)).toEqual(["warmline", "undici", "ioredis", "warmline-gateway"]);
  const opened = (client: string) =>
    rowsOf(result)
      .filter((cell: any) => cell.client === client)
      .map((cell: any) => cell.opened.values.reduce((a: number, b: number) => a + b));
  expect(opened("warmline")).toEqual([2, 2, 6, 6]);
  for (const client of ["undici", "ioredis"]) expect(opened(client), client).toEqual([2, 6, 6, 6]);
  expect(rowsOf(result, "distance").map(({ client, keepAlive }) => `${client} ${keepAlive}`)).toHaveLength(6);
  expect(stdout).toContain("round trip 0 ms, TLS");
  expect(stdout).toMatch(/^undecided {2}warmline recreated is at most 5% slower than reused: /m);
  expect(stdout).toMatch(/^undecided {2}warmline recreated opens one connection per process: /m);
  expect(stdout).toMatch(/^undecided {2}undici, 0 ms, TLS: keep-alive is faster than reconnecting: /m);
});

test("the bench lists scenarios, prints its options and refuses an unknown scenario", async () => {
  expect(await bench(folder, "--list")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^keepalive +How much/m),
  });
  expect(await bench(folder, "--help")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("--rtt MS"),
  });
  expect(await bench(folder, "nonsense")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Unknown scenario: nonsense.*\n$/),
  });
});
