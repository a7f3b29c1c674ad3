import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Authority,
  type Certificate,
  freePorts,
  type IssueOptions,
  makeAuthority,
  type RedisServer,
  startRedis,
} from "warmline-testbed";
import type { Gateway, GatewayOptions } from "../../gateway/src/index.js";
import { call, run } from "../integration/gateway/http.js";
import { forTest } from "../support/lifetime.js";
import { newFolder } from "../support/new-folder.js";
import { gatewayAt, transaction } from "./support.js";

describe("a Redis with TLS 1.3 alone, which by default requires a client certificate", {
  tags: "redis-server",
}, () => {
  const folder = newFolder("mtls");
  const made: Certificate[] = [];
  let authority: Authority;
  /** Issues a certificate. Returns the settings with its files. */
  const issue = (name: string, options?: IssueOptions, by = authority) => {
    const certificate = by.issue(options);
    made.push(certificate);
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key);
    return { redisCert: cert, redisKey: key };
  };
  const listen = async (name: string, options?: IssueOptions) => {
    const { redisCert, redisKey } = issue(name, options);
    const [port] = (await freePorts(1)) as [number];
    const redis = await startRedis({
      flags: [
        ...["--tls-port", String(port), "--bind", "127.0.0.1", "--tls-protocols", "TLSv1.3"],
        ...["--tls-cert-file", redisCert, "--tls-key-file", redisKey, "--tls-ca-cert-file", authority.caFile],
      ],
    });
    servers.push(redis);
    return port;
  };
  const servers: RedisServer[] = [];
  let port: number;
  let own: { redisCert: string; redisKey: string };
  beforeAll(async () => {
    authority = makeAuthority();
    made.push(authority);
    own = issue("own");
    port = await listen("server");
  });
  afterAll(async () => {
    for (const redis of servers) await redis.stop();
    for (const certificate of made) certificate.remove();
  });

  const start = async (to: number, options: Partial<GatewayOptions>) => {
    const common = { redisCa: authority.caFile, commandTimeout: 2_000, logLevel: "silent" } as const;
    return forTest(await gatewayAt(`rediss://localhost:${to}`, { ...common, ...options }));
  };
  const errorOf = async (at: Gateway): Promise<string> => {
    const { status, headers, json } = await call(at, "/", { body: ["SET", "k", "v"] });
    expect([status, headers["warmline-outcome"]]).toEqual([503, "unsent"]);
    return json.error;
  };

  test("every kind of connection uses the client certificate", async () => {
    const at = await start(port, own);
    expect(await run(at, "SET", "k", "v")).toBe("OK");
    expect((await transaction(at, [["GET", "k"]])).json).toEqual([{ result: "v" }]);
    expect(await run(at, "BLPOP", "l", "0.01")).toBeNull();
  });

  test("a missing, an expired and a foreign client certificate are told apart", async () => {
    const other = makeAuthority();
    made.push(other);
    for (const [options, message] of [
      [{}, /it requires a client certificate; set redisCert and redisKey \(ERR_SSL_\w+\)/],
      [issue("old", { expired: true }), /the client certificate of redisCert has expired/],
      [issue("foreign", {}, other), /does not trust the authority of the client certificate of redisCert/],
    ] as const) {
      const at = await start(port, options);
      await expect.poll(() => errorOf(at)).toMatch(message);
    }
  });

  test("an expired certificate of Redis, one for another name and one that is not trusted have different messages", async () => {
    const old = await listen("expired", { expired: true });
    expect(await errorOf(await start(old, own))).toMatch(/its certificate has expired \(CERT_HAS_EXPIRED\)/);
    const named = await listen("named", { host: "redis.internal" });
    expect(await errorOf(await start(named, own))).toMatch(
      /its certificate is for another name than that of the host; set redisServerName/,
    );
    const other = makeAuthority();
    made.push(other);
    expect(await errorOf(await start(port, { ...own, redisCa: other.caFile }))).toMatch(
      /not from an authority that is trusted; set redisCa/,
    );
    const options = { commandTimeout: 500, logLevel: "silent" } as const;
    const gateway = forTest(await gatewayAt(`redis://localhost:${port}`, options));
    expect(await errorOf(gateway)).toMatch(/could not be reached/);
  });

  test("redisServerName is the name that is checked, and no other one is accepted then", async () => {
    const named = await listen("tunnel", { host: "redis.internal" });
    const at = await start(named, { ...own, redisServerName: "redis.internal" });
    expect(await run(at, "PING")).toBe("PONG");
    await at.close();
    expect(await errorOf(await start(port, { ...own, redisServerName: "redis.internal" }))).toMatch(
      /its certificate is for another name/,
    );
  });

  test("a client certificate that is renewed is used for the next connections", async () => {
    const files = { redisCert: join(folder, "renewed.pem"), redisKey: join(folder, "renewed.key") };
    const put = (from: typeof own) => {
      for (const name of ["redisCert", "redisKey"] as const) {
        copyFileSync(from[name], `${files[name]}.new`);
        renameSync(`${files[name]}.new`, files[name]);
      }
    };
    put(issue("before", { expired: true }));
    const at = await start(port, files);
    expect(await errorOf(at)).toMatch(/has expired/);
    put(own);
    await expect.poll(() => run(at, "PING")).toBe("PONG");
  });

  test("a certificate without its key, and files that do not belong together, are refused by name", async () => {
    await expect(start(port, { redisCert: own.redisCert })).rejects.toThrow(
      /^redisCert: redisCert and redisKey must be set together/,
    );
    const { redisKey } = issue("other");
    await expect(start(port, { ...own, redisKey })).rejects.toThrow(
      /^redisCert: .* not a certificate and its key/,
    );
  });
});
