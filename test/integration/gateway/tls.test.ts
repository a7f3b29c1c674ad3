import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeEach, expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("tls");
const files = { tlsCert: join(folder, "cert.pem"), tlsKey: join(folder, "key.pem") };
const certificate = makeCertificate();
const renewed = makeCertificate();
afterAll(() => {
  certificate.remove();
  renewed.remove();
});

let gateway: Gateway;
const use = ({ cert, key }: { cert: string; key: string }) => {
  writeFileSync(files.tlsKey, key);
  writeFileSync(files.tlsCert, cert);
};
beforeEach(() => use(certificate));
const start = async (options = {}) => {
  const common = { port: 0, token: "t", logLevel: "silent", shutdownTimeout: 300 } as const;
  gateway = forTest(await createGateway({ engine: "embedded", ...common, ...files, ...options }));
  return gateway;
};

/** Runs one command over HTTPS. Returns the body, and the fingerprint of the server's certificate. */
function run(args: unknown[], ca = certificate.cert): Promise<{ body: string; shown: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer t" };
    const sent = request(gateway.url, { method: "POST", headers, ca, agent: false }, (response) => {
      const shown = (response.socket as TLSSocket).getPeerCertificate().fingerprint256;
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ body, shown }));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(args));
  });
}

test("the gateway uses the given certificate", async () => {
  const { url } = await start();
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect((await run(["SET", "k", "x".repeat(200_000)])).body).toBe('{"result":"OK"}');
  expect((await run(["STRLEN", "k"])).body).toBe('{"result":200000}');
});

test("the gateway refuses TLS versions before 1.2", async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  const outcome = await new Promise<string>((resolve) => {
    const socket = connect({
      port,
      rejectUnauthorized: false,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "ALL:@SECLEVEL=0",
    });
    socket.on("secureConnect", () => resolve(socket.getProtocol() ?? ""));
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
  });
  expect(outcome).toMatch(/^ERR_SSL_|ECONNRESET/);
});

test("a renewed certificate is used without a restart", async () => {
  await start();
  use(renewed);
  await expect
    .poll(
      () =>
        run(["PING"], renewed.cert).then(
          ({ body }) => body,
          () => "",
        ),
      { timeout: 10_000 },
    )
    .toBe('{"result":"PONG"}');
});

test("close() does not wait for an unfinished handshake", async () => {
  const { url } = await start();
  const socket = await silent(url);
  const began = performance.now();
  await gateway.close();
  expect(performance.now() - began).toBeLessThan(5_000);
  socket.destroy();
});

/** Connects, and sends nothing. */
async function silent(url: string): Promise<Socket> {
  const socket = connectTcp(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

test("a client whose handshake is late or malformed is disconnected", async () => {
  const { url } = await start({ headersTimeout: 300 });
  const closed = await silent(url);
  const wrong = await silent(url);
  wrong.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => [closed.closed, wrong.closed], { timeout: 5_000 }).toEqual([true, true]);
  expect((await run(["PING"])).body).toBe('{"result":"PONG"}');
});

test("unfinished handshakes are limited, and block no other client", async () => {
  const { url } = await start({ maxConnections: 5, softMaxConnections: 4 });
  const sockets = await Promise.all(Array.from({ length: 300 }, () => silent(url)));
  // There is room for the 5 connections that are allowed, and for 256 more, which would get a 503.
  const open = () => sockets.filter((socket) => !socket.closed).length;
  await expect.poll(open, { timeout: 5_000 }).toBeLessThanOrEqual(5 + 256);
  expect((await run(["PING"])).body).toBe('{"result":"PONG"}');
  expect(open()).toBeGreaterThan(200);
  for (const socket of sockets) socket.destroy();
});

test.each<[RegExp, object]>([
  [/^tlsCert: tlsCert and tlsKey must be set together/, { tlsKey: undefined }],
  [/^tlsCert: \/nowhere can't be read \(ENOENT\)/, { tlsCert: "/nowhere" }],
  [/^tlsCert: .* are not a certificate and its key/, { tlsKey: files.tlsCert }],
])("invalid TLS settings are refused: %s", async (message, options) => {
  await expect(start(options)).rejects.toThrow(message);
});
