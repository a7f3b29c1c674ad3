import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as warmline from "warmline";
import { Redis } from "warmline";
import { startGateway } from "warmline-gateway/testing";
import { sharedByTests } from "../../support/lifetime.js";
import { root } from "./pages.js";

const page = readFileSync(join(root, "docs/errors.md"), "utf8");

const classes = Object.values(warmline).filter(
  (value): value is typeof warmline.WarmlineError =>
    typeof value === "function" && (value === warmline.WarmlineError || value.prototype instanceof Error),
);

describe("docs/errors.md", () => {
  let redis: Redis;
  const gateway = sharedByTests(() => startGateway({ token: "t", maxBodySize: 10_000 }));
  beforeAll(async () => {
    redis = new Redis({ url: gateway.url, token: "t" });
    await redis.set("text", "x");
  });

  test("docs/errors.md has a section for each class, and no other", () => {
    const sections = [...page.matchAll(/^## (\w+Error)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(classes.map(({ name }) => name).sort());
    expect(sections.length).toBeGreaterThan(7);
  });

  const nobody = () => new Redis({ url: "http://127.0.0.1:1", token: "t", retry: false });
  test.each<[string, () => Promise<unknown>, string]>([
    ["ConnectionError", () => nobody().get("a"), "GET: not sent: connect ECONNREFUSED 127.0.0.1:"],
    [
      "RedisError",
      () => redis.lpush("text", 1),
      "WRONGTYPE Operation against a key holding the wrong kind of value (command: LPUSH)",
    ],
    [
      "RedisError",
      () => new Redis({ url: gateway.url, token: "no" }).get("a"),
      "WRONGPASS invalid or missing auth token",
    ],
    ["ArgumentError", () => redis.set("a", undefined), "SET: argument 2 is undefined"],
    [
      "ArgumentError",
      () => redis.exec(["SELECT", "1"]),
      "SELECT changes the state of a connection, which requests share",
    ],
    [
      "ConfigError",
      () => new Redis({}).get("a"),
      "url and token missing: pass them to new Redis({ url, token }), or set WARMLINE_URL and WARMLINE_TOKEN",
    ],
    [
      "ConfigError",
      () => redis.with({ writes: "exactly-once" }).blpop("a", 1),
      "BLPOP can't be run exactly once: a script can't block",
    ],
  ])("docs/errors.md quotes the message of %s", async (name, fail, text) => {
    const error = await fail().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.name).toBe(name);
    expect(error?.message).toContain(text);
    expect(page).toContain(text);
  });

  test.each<[status: number, path: string, init: RequestInit]>([
    [400, "/", { method: "POST", body: '["NONSENSE"]' }],
    [401, "/", { method: "POST", body: '["PING"]', headers: { authorization: "Bearer no" } }],
    [403, "/", { method: "POST", body: '["PING"]', headers: { origin: "https://other.test" } }],
    [405, "/", { method: "DELETE" }],
    [413, "/", { method: "POST", body: JSON.stringify(["SET", "k", "x".repeat(20_000)]) }],
  ])("docs/errors.md has a row for status %i", async (status, path, init) => {
    const response = await fetch(gateway.url + path, {
      ...init,
      headers: { authorization: "Bearer t", ...init.headers },
    });
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: string };
    const row = page.split("\n").find((line) => line.startsWith(`| ${status} |`));
    // If the text varies, the row has its first word.
    const args = status === 400 || status === 403 ? 1 : 2;
    expect(row).toContain(error.split(" ").slice(0, args).join(" "));
  });
});
