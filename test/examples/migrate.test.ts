import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { startRedis } from "warmline-testbed";
import { sharedByTests } from "../support/lifetime.js";
import { run } from "../support/packages/run.js";
import { useExample } from "./support/example.js";

// Programs before and after the move to warmline print the same and leave the same data in Redis.

const example = useExample("migrate");
const root = resolve(import.meta.dirname, "../../examples/migrate");
const programs = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".before.mjs") && !path.includes("node_modules"))
  .map((path) => path.replace(".before.mjs", ""))
  .sort();

test("each client has three programs", () => {
  const clients = programs.map((path) => path.split("/")[0]!);
  expect(clients).toEqual(
    ["ioredis", "node-redis", "upstash", "vercel-kv"].flatMap((name) => [name, name, name]),
  );
});

describe("a program", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis({ listen: "tcp", flags: ["--enable-debug-command", "yes"] }));
  const gateway = sharedByTests(() => createGateway({ port: 0, redis: server.url }));

  /** Returns what a program prints, and the digest of the data that it leaves. */
  async function outcomeOf(program: string) {
    const { url, token } = gateway;
    const environment = {
      REDIS_URL: server.url,
      WARMLINE_URL: url,
      WARMLINE_TOKEN: token,
      UPSTASH_REDIS_REST_URL: url,
      UPSTASH_REDIS_REST_TOKEN: token,
      KV_REST_API_URL: url,
      KV_REST_API_TOKEN: token,
    };
    await server.command("FLUSHALL");
    const printed = await run("node", [join(example.folder, program)], example.folder, environment, 60_000);
    return { printed: JSON.parse(printed), data: await server.command("DEBUG", "DIGEST") };
  }

  test.each(programs)("%s prints and stores the same afterwards", { timeout: 60_000 }, async (program) => {
    const before = await outcomeOf(`${program}.before.mjs`);
    expect(Object.keys(before.printed).length).toBeGreaterThan(1);
    expect(await outcomeOf(`${program}.after.mjs`)).toEqual(before);
  });
});
