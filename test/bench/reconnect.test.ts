import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bench, rowsOf, schemaErrors } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

const folder = newFolder("reconnect");

test("reconnect opens a connection per command for reconnecting users, and at most one for each other user", {
  tags: "redis-server",
  timeout: 240_000,
}, async () => {
  const args = ["--quick", "--seconds", "0.3", "--rounds", "1", "--seed", "3", "--json", "out.json"];
  const clients = ["--clients", "warmline,ioredis"];
  const { code, stderr } = await bench(folder, ["reconnect", ...args, ...clients]);
  expect(code, stderr).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, "out.json"), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  const rows = rowsOf(result);
  expect(rows).toHaveLength(2 * (5 + 2 * 2));
  for (const { title, users, reconnect, way, opened, latencies } of rows) {
    const [connections] = opened.values;
    if (way.startsWith("sidecar")) expect(connections).toBeNull();
    else if (reconnect) expect([title, users, connections]).toEqual([title, users, latencies.count]);
    else expect(connections, title).toBeLessThanOrEqual(users);
  }
});
