import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";
import type {
  Connection,
  ConnectionHost,
  HttpExchange,
  HttpService,
} from "../../../../gateway/src/http/connection.js";
import { Connections } from "../../../../gateway/src/http/connections.js";
import type { RequestHead } from "../../../../gateway/src/http/request-head.js";
import { ResponseHeads } from "../../../../gateway/src/http/response-head.js";
import { HttpServer } from "../../../../gateway/src/http/server.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { Certificate } from "../../../../gateway/src/util/certificate.js";
import { newFolder } from "../../../support/new-folder.js";

const REQUEST = Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");

/** Responds to each request immediately, with the body `ok`. */
const service: HttpService = {
  exchange(_head: RequestHead, connection: Connection, { heads }: ConnectionHost): HttpExchange {
    const keep = () => connection.mayContinue;
    return {
      handle: () =>
        connection.finish(heads.encode(200, "text/plain", keep(), [], Buffer.from("ok"), true), keep()),
      invalid() {},
      bodySent() {},
      clientEnded() {},
      abort() {},
    };
  },
  refused: () => ({ type: "text/plain", body: Buffer.from("invalid"), headers: [] }),
};

const certificate = makeCertificate();
const folder = newFolder("server");
const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
writeFileSync(files.cert, certificate.cert);
writeFileSync(files.key, certificate.key);
let server: HttpServer | undefined;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server?.close(0, () => {});
  server = undefined;
});

async function start({ soft = 10, tls = false }) {
  const budget = new BufferBudget();
  const connections = new Connections({ idle: 60_000, head: 60_000, body: 60_000, soft, hard: 20, budget });
  server = new HttpServer({
    service,
    connections,
    heads: new ResponseHeads(60_000),
    budget,
    certificate: tls ? new Certificate(files) : null,
    greetTimeout: 10_000,
    onNotice() {},
    onFailure(error) {
      throw error;
    },
  });
  const port = await server.listen("127.0.0.1", 0);
  return { port, connections };
}

/** Connects, sends all of `bytes` at once, and waits for `responses` responses. */
async function client(port: number, bytes: readonly Buffer[], responses = 1): Promise<Socket> {
  const socket = connectTcp(port, "127.0.0.1");
  clients.push(socket);
  socket.on("error", () => {});
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  await once(socket, "connect");
  socket.write(Buffer.concat(bytes));
  await expect.poll(() => received.split("\r\n\r\nok").length - 1).toBe(responses);
  return socket;
}

async function tlsClient(port: number): Promise<Socket> {
  const socket = connectTls({ port, host: "127.0.0.1", ca: certificate.cert });
  clients.push(socket);
  // Written before the handshake, so that it is sent in one segment with the handshake's last bytes.
  socket.write(REQUEST);
  await once(socket, "data");
  return socket;
}

describe("a first request that comes with the first bytes of its connection", () => {
  test("with TLS, leaves the connection counted as idle once, until it closes", async () => {
    const { port, connections } = await start({ tls: true });
    const first = await tlsClient(port);
    await tlsClient(port);
    expect(connections.idle).toBe(2);
    first.destroy();
    await expect.poll(() => connections.idle).toBe(1);
  });

  test("keeps the connection from counting as idle, if only a part of it has arrived", async () => {
    const { port, connections } = await start({ soft: 1 });
    const begun = await client(port, [REQUEST.subarray(0, 20)], 0);
    // The server has read the part before it responds to a later request.
    await client(port, [REQUEST]);
    expect([connections.open, connections.idle]).toEqual([2, 1]);
    begun.write(REQUEST.subarray(20));
    await expect.poll(() => connections.idle).toBe(2);
  });
});
