import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Measurement as Sequential } from "../../bench/src/sequential/report.js";
import type { Measurement as Zombie } from "../../bench/src/zombie/report.js";
import { bench, schemaErrors } from "../support/bench.js";

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a scenario as a user does; its JSON fits the schema. */
async function run(scenario: string, ...args: string[]): Promise<any> {
  const files = ["--json", `${scenario}.json`, "--report", `${scenario}.html`];
  const { code, stderr } = await bench(folder, [scenario, "--quick", ...args, ...files]);
  expect(code, stderr).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, `${scenario}.json`), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  expect(readFileSync(join(folder, `${scenario}.html`), "utf8")).not.toMatch(/NaN|undefined|Infinity/);
  return result;
}

test("the bench reports unusable files before it measures anything", async () => {
  writeFileSync(join(folder, "three.json"), "3");
  const question = ["--memory", "512", "--ops", "3", "--rtt", "2", "--concurrency", "200"];
  for (const [args, said] of [
    [["keepalive", "--quick", "--json", "."], "--json: cannot write the file: EISDIR"],
    [["all", "--quick", "--report", "."], "--report: cannot write the file: EISDIR"],
    [["advise", ...question, "--from", "none.json"], "none.json is not readable as results: ENOENT"],
    [["advise", ...question, "--from", "three.json"], "three.json has no results of this bench (format 1)."],
  ] as const) {
    const { code, stdout, stderr } = await bench(folder, args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(said);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

describe("zombie", () => {
  test("zombie loses calls of a naive client with a short idle limit, and none of warmline", async () => {
    const { data, checks } = await run("zombie", "--seed", "4");
    const lost = (client: string, shorter: boolean) =>
      (data as Zombie[])
        .filter((row) => row.client === client && row.limitS < 300 === shorter)
        .reduce((sum, { failed, hung }) => sum + failed + hung, 0);
    expect(lost("agent", true)).toBeGreaterThan(0);
    expect(lost("ioredis", true)).toBeGreaterThan(0);
    expect(lost("agent", false)).toBe(0);
    expect([lost("warmline", true), lost("warmline", false)]).toEqual([0, 0]);
    expect(
      checks.filter(({ expectation, passed }: any) => !passed && expectation.startsWith("warmline")),
    ).toEqual([]);
  }, 180_000);
});

describe("sequential, twice with one seed", () => {
  /** Returns the ratios of a run's summary, by name. */
  const ratios = (rows: Sequential[]) => {
    const found = new Map<string, number>();
    const p50 = (client: string, name: string, keepAlive: boolean) =>
      rows.find((row) => row.client === client && row.name === name && row.keepAlive === keepAlive)!.all.p50;
    for (const client of new Set(rows.map((row) => row.client))) {
      for (const name of ["one", "ten"]) {
        found.set(`${client}, ${name}, off / on`, p50(client, name, false) / p50(client, name, true));
      }
      found.set(`${client}, ten / one`, p50(client, "ten", true) / p50(client, "one", true));
      found.set(`${client}, ten / pipeline`, p50(client, "ten", true) / p50(client, "pipeline", true));
    }
    return found;
  };

  test("sequential has the same direction in every ratio of two runs with one seed", async () => {
    const args = ["--seed", "11", "--rtt", "5", "--clients", "warmline,agent,ioredis"];
    const [first, second] = [await run("sequential", ...args), await run("sequential", ...args)];
    expect(first.command).toBe(second.command);
    const again = ratios(second.data);
    for (const [name, ratio] of ratios(first.data)) {
      expect([name, again.get(name)! > 1], `${ratio} and ${again.get(name)}`).toEqual([name, ratio > 1]);
    }
  }, 180_000);
});
