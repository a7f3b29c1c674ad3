import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { findRedisServer } from "warmline-testbed";
import { benchOutput } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

const folder = newFolder("bench");

const bench = (...args: string[]): Promise<string> => benchOutput(folder, args);

describe("every fault once, over TLS", () => {
  let result: any;
  let rows: any[];
  type Count = "calls" | "doubled" | "hung" | "wrong" | "resolved" | "failed";
  const sum = (row: any, what: Count): number =>
    row[what].values.reduce((all: number, each: number) => all + each, 0);
  const total = (client: string, what: Count) =>
    rows.filter((row) => row.client === client).reduce((all, row) => all + sum(row, what), 0);

  beforeAll(async () => {
    const files = ["--json", "out.json", "--report", "out.html"];
    const clients = ["--clients", "warmline,upstash,agent,ioredis"];
    await bench("faults", "--quick", "--tls", "--seed", "7", ...clients, ...files);
    result = JSON.parse(readFileSync(join(folder, "out.json"), "utf8"));
    rows = result.data;
  }, 240_000);

  test("every fault is applied to each client, and each call ends", () => {
    const faults = new Set(rows.map(({ title }) => title));
    expect(faults.size).toBe(23);
    const own = ["warmline", "warmline, no numbers", "warmline, exactly-once"];
    const tcp = findRedisServer() === undefined ? [] : ["ioredis (TCP)"];
    const peers = ["@upstash/redis", "bare agent", ...tcp];
    const twice = peers.flatMap((peer) => [peer, `${peer}, documented options`]);
    expect([...new Set(rows.map(({ label }) => label))]).toEqual([...own, ...twice]);
    // Five faults are of HTTP. Without redis-server the client over TCP is skipped.
    expect(rows).toHaveLength(7 * 23 + 2 * tcp.length * 18);
    for (const row of rows) {
      expect(sum(row, "resolved") + sum(row, "failed") + sum(row, "hung")).toBe(sum(row, "calls"));
    }
  });

  test("warmline doubles no write and leaves no call hanging, with and without numbers", () => {
    for (const client of ["warmline", "warmline-plain", "warmline-once"]) {
      expect(total(client, "doubled"), client).toBe(0);
      expect(total(client, "hung"), client).toBe(0);
    }
    const silent = rows.find(
      ({ client, title }) => client === "warmline" && title === "get, no response ever",
    );
    expect([sum(silent, "calls"), sum(silent, "resolved")]).toEqual([1, 0]);
    expect(total("warmline-once", "resolved")).toBe(total("warmline-once", "calls") - 1);
  });

  test("clients with documented options double no write and leave no call hanging", () => {
    const advised = new Set(rows.map(({ client }) => client).filter((client) => client.endsWith("-advised")));
    expect(advised.size).toBeGreaterThanOrEqual(2);
    for (const client of advised) {
      expect([client, total(client, "doubled"), total(client, "hung")]).toEqual([client, 0, 0]);
    }
    expect(result.notes.join()).toMatch(/@upstash\/redis, documented options: retry .*https:/);
  });

  test("duplicates are counted at the server for a client that repeats writes", () => {
    const of = (fault: string, what: Count) =>
      sum(
        rows.find((row) => row.client === "upstash" && row.title === fault),
        what,
      );
    expect([of("incr, response lost once", "resolved"), of("incr, response lost once", "doubled")]).toEqual([
      1, 1,
    ]);
    expect(of("incr, response lost 5 times", "doubled")).toBe(5);
    if (findRedisServer() !== undefined) {
      const ioredis = rows.find(
        ({ client, title }) => client === "ioredis" && title === "incr, response lost once",
      );
      expect(sum(ioredis, "doubled")).toBe(1);
    }
    expect(of("set, response lost; then another client sets", "doubled")).toBe(1);
    expect(of("get, frozen and the network drops the flow", "hung")).toBe(1);
  });
});
