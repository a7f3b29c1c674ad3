import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Certificate, freePorts, makeCertificate, type RedisServer, startRedis } from "warmline-testbed";
import { call } from "../integration/gateway/http.js";
import { gatewayAt, run, transaction } from "./support.js";

describe("a Redis that speaks TLS alone", { tags: "redis-server" }, () => {
  let certificate: Certificate;
  let folder: string;
  let redis: RedisServer;
  let port: number;
  beforeAll(async () => {
    certificate = makeCertificate();
    folder = mkdtempSync(join(tmpdir(), "warmline-tls-"));
    const file = join(folder, "both.pem");
    writeFileSync(file, certificate.key + certificate.cert);
    [port] = (await freePorts(1)) as [number];
    redis = await startRedis({
      flags: [
        ...["--tls-port", String(port), "--bind", "127.0.0.1", "--tls-auth-clients", "no"],
        ...["--tls-cert-file", file, "--tls-key-file", file, "--tls-ca-cert-file", file],
      ],
    });
    await redis.command("ACL", "SETUSER", "ann", "on", ">p@ss", "~*", "+@all");
  });
  afterAll(async () => {
    await redis?.stop();
    certificate?.remove();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test.each(["localhost", "127.0.0.1"])(
    "a TLS Redis is trusted by the given certificates, as %s and as an ACL user",
    async (host) => {
      const gateway = await gatewayAt(`rediss://ann:p%40ss@${host}:${port}/2`, {
        redisCa: certificate.caFile,
      });
      expect(await run(gateway, "ACL", "WHOAMI")).toBe("ann");
      expect(await run(gateway, "SET", "k", "v")).toBe("OK");
      expect((await transaction(gateway, [["GET", "k"]])).json).toEqual([{ result: "v" }]);
      expect(await run(gateway, "BLPOP", "l", "0.01")).toBeNull();
      await gateway.close();
    },
  );

  test("a TLS Redis gets no command without a trusted certificate, nor in the clear", async () => {
    for (const [url, text] of [
      [`rediss://localhost:${port}`, /SELF_SIGNED|self.signed/i],
      [`redis://localhost:${port}`, /could not be reached/],
    ] as const) {
      const gateway = await gatewayAt(url, { commandTimeout: 500 });
      const response = await call(gateway, "/", { body: ["SET", "k", "stolen"] });
      expect(response.status).toBe(503);
      expect(response.headers["warmline-outcome"]).toBe("unsent");
      expect(response.json.error).toMatch(text);
      await gateway.close();
    }
  });
});
