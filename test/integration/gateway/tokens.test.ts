import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { startRedis } from "../../../testbed/src/index.js";
import { commands } from "../../support/commands.js";
import { startEngineServer } from "../../support/engine-server.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { listen } from "../subscribe/listen.js";
import { call } from "./http.js";

const folder = newFolder("tokens");

const noperm = expect.stringMatching(/^NOPERM/);

async function start(options: Partial<GatewayOptions>): Promise<Gateway> {
  return forTest(await createGateway({ port: 0, ...options }));
}

async function runAs(gateway: Gateway, token: string, ...args: string[]) {
  const { status, json } = await call(gateway, "/", { token, body: args });
  return status === 200 ? json.result : { status, ...json };
}

describe("tokens", () => {
  const redis = sharedByTests(() => startEngineServer());
  beforeEach(() => redis.command("FLUSHALL"));

  test("a token with a role may do what the role allows", async () => {
    const gateway = await start({
      redis: redis.url,
      token: "main",
      tokens: [
        { name: "app", token: "app" },
        { name: "page", token: "page", role: "read-only" },
        { name: "scraper", token: "scraper", role: "metrics" },
        { name: "narrow", token: "narrow", commands: ["GET", "XINFO", "SUBSCRIBE"] },
      ],
    });
    expect(await runAs(gateway, "app", "SET", "k", "v")).toBe("OK");
    expect(await runAs(gateway, "app", "EVAL", "return redis.call('GET', 'k')", "0")).toBe("v");
    expect(await runAs(gateway, "app", "SAVE")).toEqual({ status: 400, error: noperm });
    expect(await runAs(gateway, "main", "SLOWLOG", "LEN")).toEqual(expect.any(Number));

    expect(await runAs(gateway, "narrow", "GET", "k")).toBe("v");
    expect(await runAs(gateway, "narrow", "SET", "k", "w")).toEqual({ status: 400, error: noperm });
    expect((await call(gateway, "/psubscribe/*", { token: "narrow" })).status).toBe(400);

    const statuses = ["main", "scraper", "app", "page"].map((token) => call(gateway, "/metrics", { token }));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 403, 403]);
    expect(await runAs(gateway, "nobody", "PING")).toMatchObject({ status: 401 });
    expect(await runAs(gateway, "main", "GET", "k")).toBe("v");
  });

  test("only listed tokens are accepted if there is no main token", async () => {
    const gateway = await start({ redis: redis.url, tokens: [{ name: "app", token: "app" }] });
    expect(gateway.token).toBe("");
    expect((await call(gateway, "/get/k", { token: null })).status).toBe(401);
    expect(
      (await call(gateway, "/get/k", { token: null, headers: { authorization: "Bearer " } })).status,
    ).toBe(401);
    expect((await call(gateway, "/get/k?_token=", { token: null })).status).toBe(401);
    expect((await call(gateway, "/get/k", { token: "app" })).status).toBe(200);
  });

  test("tokens are reloaded when their files change, and connections stay", async () => {
    const tokensFile = join(folder, "tokens.yaml");
    const tokenFile = join(folder, "token");
    const write = (path: string, text: string) => {
      // Kubernetes replaces a mounted secret like this: it renames a new symbolic link over the old one.
      writeFileSync(`${path}.${text.length}`, text);
      symlinkSync(`${path}.${text.length}`, `${path}.new`);
      renameSync(`${path}.new`, path);
    };
    write(tokenFile, "first-main\n");
    write(tokensFile, "tokens:\n  - { name: app, token: first }\n");
    const gateway = await start({ redis: redis.url, tokensFile, tokenFile });
    expect(gateway.token).toBe("first-main");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<unknown>();
    const status = async (token: string) => {
      const response = await call(gateway, "/", { token, body: ["GET", "k"], agent });
      ports.add(
        Object.values(agent.freeSockets)[0]?.[0]?.localPort ??
          Object.values(agent.sockets)[0]?.[0]?.localPort,
      );
      return response.status;
    };
    expect([await status("first"), await status("first-main"), await status("second")]).toEqual([
      200, 200, 401,
    ]);
    write(tokensFile, "tokens:\n  - { name: app, token: second, role: read-only }\n");
    write(tokenFile, "other-main-token\n");
    await expect.poll(() => status("second"), { timeout: 10_000 }).toBe(200);
    expect([await status("first"), await status("first-main"), await status("other-main-token")]).toEqual([
      401, 401, 200,
    ]);
    expect(gateway.token).toBe("other-main-token");
    // A malformed or missing file changes nothing.
    write(tokensFile, "tokens: [ { name: app, role: nonsense } ]\n");
    unlinkSync(tokenFile);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([await status("second"), await status("other-main-token")]).toEqual([200, 200]);
    expect(ports.size).toBe(1);
    agent.destroy();
  });
});

describe("tokens that need a real Redis", { tags: "redis-server" }, () => {
  const redis = sharedByTests(() => startRedis());
  beforeEach(async () => {
    await redis.command("FLUSHALL");
    const rules = ["~ann:*", "&ann:*", "+@all", "-@dangerous"];
    await redis.command("ACL", "SETUSER", "ann", "reset", "on", ">pa ss", ...rules);
    await redis.command("ACL", "SETUSER", "bob", "reset", "on", ">hunter2", "~*", "+get");
  });

  test("a token with a Redis user runs as that user", async () => {
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, "pa ss\n");
    const gateway = await start({
      redis: redis.url,
      tokens: [
        { name: "ann", token: "ann", user: { username: "ann", passwordFile } },
        { name: "bob", token: "bob", user: { username: "bob", password: "hunter2" } },
        { name: "wrong", token: "wrong", user: { username: "bob", password: "hunter3" } },
      ],
      commandTimeout: 2_000,
    });
    expect(await runAs(gateway, "ann", "SET", "ann:k", "v")).toBe("OK");
    expect(await runAs(gateway, "ann", "ACL", "WHOAMI")).toBe("ann");
    expect(await runAs(gateway, "ann", "ACL", "LIST")).toMatchObject({ error: noperm });
    expect(await runAs(gateway, "ann", "GET", "bob:k")).toMatchObject({ error: noperm });
    expect(await runAs(gateway, "bob", "GET", "ann:k")).toBe("v");
    expect(await runAs(gateway, "bob", "SET", "ann:k", "w")).toMatchObject({ error: noperm });
    const { status, headers, text } = await call(gateway, "/get/ann:k", { token: "wrong" });
    // The gateway never signs in with this password, so the request waits until commandTimeout.
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(text).not.toContain("hunter");
    // A transaction and a blocking command have connections of their own, signed in as the same user.
    const body = commands("LPUSH ann:l 1", "LLEN ann:l");
    const multi = await call(gateway, "/multi-exec", { token: "ann", body });
    expect(multi.json).toEqual([{ result: 1 }, { result: 1 }]);
    expect(await runAs(gateway, "ann", "BLPOP", "ann:l", "1")).toEqual(["ann:l", "1"]);
    expect((await call(gateway, "/subscribe/bob", { token: "ann" })).json).toEqual({ error: noperm });
    expect((await call(gateway, "/monitor", { token: "ann" })).json).toEqual({ error: noperm });
    writeFileSync(passwordFile, "changed\n");
    await redis.command("ACL", "SETUSER", "ann", "+monitor", "resetpass", ">changed");
    await redis.command("CLIENT", "KILL", "USER", "ann");
    await expect.poll(() => runAs(gateway, "ann", "GET", "ann:k")).toBe("v");
    const monitor = await listen(gateway, "/monitor", { token: "ann" });
    expect(monitor.status).toBe(200);
    monitor.close();
  });

  test("a command of allowCommand is open to admin tokens alone, and Redis refuses a subcommand that it does not know", async () => {
    const gateway = await start({
      redis: redis.url,
      token: "main",
      tokens: [{ name: "app", token: "app" }],
      allowCommand: ["CONFIG GET"],
    });
    expect(await runAs(gateway, "main", "CONFIG", "GET", "port")).toEqual(["port", "0"]);
    expect(await runAs(gateway, "app", "CONFIG", "GET", "port")).toEqual({ status: 400, error: noperm });
    const { error } = await runAs(gateway, "main", "ACL", "RESTTOKEN", "ann", "pa ss");
    expect(error).toMatch(/^ERR Unknown subcommand .*RESTTOKEN/i);
  });

  test("blocking commands and streams of a token end when the token is removed or changed", async () => {
    const tokensFile = join(folder, "revoked.yaml");
    const tokenFile = join(folder, "revoked-main");
    const app = "{ name: app, token: app-token }";
    const wide = "{ name: wide, token: wide-token";
    writeFileSync(tokensFile, `[${app}, ${wide} }, { name: kept, token: kept-token }]`);
    writeFileSync(tokenFile, "main-token-1");
    const gateway = await start({ redis: redis.url, tokensFile, tokenFile });
    const waiting = (token: string) => call(gateway, "/", { token, body: ["BLPOP", `none:${token}`, "0"] });
    const ended = Promise.all(["app-token", "wide-token"].map(waiting));
    const pipeline = call(gateway, "/pipeline", { token: "app-token", body: [["BLPOP", "none", "0"]] });
    const stream = call(gateway, "/subscribe/c", { token: "app-token" });
    const kept = waiting("kept-token");
    await expect
      .poll(async () => String(await redis.command("INFO", "clients")))
      .toMatch(/blocked_clients:4\r/);
    writeFileSync(tokensFile, `[${wide}, prefix: "x:" }, { name: kept, token: kept-token }]`);
    writeFileSync(tokenFile, "main-token-2");
    for (const { status, headers, json } of [...(await ended), await pipeline]) {
      expect([status, headers["warmline-outcome"]]).toEqual([401, "unknown"]);
      expect(json.error).toMatch(/^WRONGPASS the token was removed or changed/);
    }
    expect((await stream).text).toMatch(/^data: subscribe,c,1\n\n$/);
    await redis.command("RPUSH", "none:app-token", "left");
    await redis.command("RPUSH", "none:kept-token", "taken");
    expect((await kept).json.result).toEqual(["none:kept-token", "taken"]);
    expect(await redis.command("LLEN", "none:app-token")).toBe(1);
  });
});
