import { expect, inject, test } from "vitest";
import { Redis } from "warmline";
import { serve, useExample } from "./support/example.js";

const example = useExample("express-session", inject("tarballs")["warmline-adapters"]);

test("sessions outlive the server", async () => {
  const { gateway, env, folder } = example;
  const start = () =>
    serve("node", ["server.mjs"], { folder, env: { ...env, PORT: "0", SESSION_SECRET: "s" } });
  let server = await start();
  let cookie = "";
  const visit = async (path = "/", method = "GET") => {
    const response = await fetch(server.url + path, { method, headers: { cookie } });
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return response.json();
  };
  const redis = new Redis({ url: gateway.url, token: gateway.token });
  try {
    expect(await visit()).toEqual({ visits: 1 });
    expect(await visit()).toEqual({ visits: 2 });
    expect(await server.stop()).toBe(0);
    server = await start();
    expect(await visit()).toEqual({ visits: 3 });
    const keys = await redis.keys("session:*");
    expect(keys).toHaveLength(1);
    const ttl = await redis.ttl(keys[0]!);
    expect(ttl).toBeGreaterThan(3_500);
    expect(ttl).toBeLessThanOrEqual(3_600);
    expect(await visit("/logout", "POST")).toEqual({ bye: true });
    expect(await redis.keys("session:*")).toEqual([]);
    expect(await visit()).toEqual({ visits: 1 });
  } finally {
    await server.stop();
    redis.close();
  }
});
