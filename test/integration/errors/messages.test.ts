import { createServer as createH2Server } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { freePorts, makeAuthority } from "warmline-testbed";
import { createGateway } from "../../../gateway/src/index.js";
import { jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { describeEntries } from "../../support/entries.js";
import { errorOf } from "../../support/error-of.js";
import { forTest } from "../../support/lifetime.js";
import { listenApart } from "../../support/listen-apart.js";

// Mistakes whose message has to name what is wrong and what to do.

async function listen(server: Server): Promise<number> {
  await listenApart(server);
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  return (server.address() as AddressInfo).port;
}

describeEntries((Client, entry) => {
  const client = (options: RedisOptions) => forTest(new Client({ token: "t", retry: false, ...options }));

  test("error.cause.code is the system's", async () => {
    const [port] = await freePorts(1);
    const refused = await errorOf(client({ url: `http://127.0.0.1:${port}` }).get("k"));
    expect(refused.cause).toMatchObject({ code: "ECONNREFUSED" });
    const unknown = await errorOf(client({ url: "http://nowhere.invalid" }).get("k"));
    expect((unknown.cause as { code: string }).code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
    const endpoint = await RawEndpoint.startForTest();
    endpoint.onRequest = ({ socket }) => socket.resetAndDestroy();
    const reset = await errorOf(client({ url: endpoint.url }).incr("n"));
    expect((reset.cause as { code: string }).code).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
    for (const { message, cause } of [refused, unknown, reset]) {
      expect(message).not.toContain("fetch failed");
      expect(message.endsWith((cause as Error).message)).toBe(true);
    }
  });

  test("a url with a path that is too much is named", async () => {
    const gateway = forTest(await createGateway({ engine: "embedded", port: 0, token: "t" }));
    const { message } = await errorOf(client({ url: `${gateway.url}/foo` }).get("k"));
    expect(message).toMatch(/unknown command .*; is the path of url right\?/);
    expect((await errorOf(client({ url: gateway.url }).exec(["NONSENSE"]))).message).not.toContain("path");
  });

  if (entry === "Node") {
    test("a response that a proxy has compressed is named", async () => {
      const endpoint = await RawEndpoint.startForTest();
      const body = gzipSync('{"result":"v"}');
      endpoint.onRequest = ({ socket }) => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
        );
        socket.write(body);
      };
      expect((await errorOf(client({ url: endpoint.url }).get("k"))).message).toContain(
        "the response is compressed: turn that off in the proxy",
      );
      endpoint.answer(jsonResponse('{"result":"v"}', { "content-encoding": "identity" }));
      expect(await client({ url: endpoint.url }).get("k")).toBe("v");
    });
  }
});

test("a server that speaks HTTP/2 alone is named", async () => {
  const { server: certificate, authority } = certificates();
  const port = await listen(
    createTlsServer({ ...certificate, ALPNProtocols: ["h2"] }, (socket) => socket.on("error", () => {})),
  );
  const redis = forTest(
    new Redis({
      url: `https://localhost:${port}`,
      token: "t",
      retry: false,
      timeout: 10_000,
      tls: { ca: authority },
    }),
  );
  expect((await errorOf(redis.get("k"))).message).toContain("the server does not speak HTTP/1.1");
  const plain = await listen(createH2Server() as unknown as Server);
  const cleartext = forTest(
    new Redis({
      url: `http://127.0.0.1:${plain}`,
      token: "t",
      retry: false,
      timeout: 1_000,
    }),
  );
  expect((await errorOf(cleartext.get("k"))).message).toMatch(/HTTP\/1\.1/);
});

test.each<[name: string, end: (socket: Socket) => void, message: RegExp]>([
  ["speaks first", (socket) => socket.write("220 ready\r\n"), /HTTP\/1\.1/],
  ["closes them", (socket) => socket.end(), /closed/],
  ["resets them", (socket) => socket.resetAndDestroy(), /closed|ECONNRESET/],
])("a server that accepts connections and %s is named, and gets few of them", async (_name, end, message) => {
  let connections = 0;
  const port = await listen(
    createServer((socket) => {
      connections++;
      socket.on("error", () => {}).resume();
      end(socket);
    }),
  );
  const redis = forTest(new Redis({ url: `http://127.0.0.1:${port}`, token: "t", timeout: 1_000 }));
  expect((await errorOf(redis.get("k"))).message).toMatch(message);
  // About two for each attempt: the pauses between them are those of any failure. A loop opens thousands.
  expect(connections).toBeLessThan(100);
});

function certificates() {
  const authority = makeAuthority();
  return { server: authority.issue(), authority: authority.cert };
}
