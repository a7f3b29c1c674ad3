import { readFileSync } from "node:fs";
import { createServer as createHttpServer, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { type Certificate, makeAuthority, makeCertificate } from "warmline-testbed";
import { root } from "./pages.js";

// docs/troubleshooting.md finds a section by the text that is seen. Each text is provoked, or another program's own.

const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");

/** Texts that need another program or minutes: platforms, browsers, web servers, Redis at its limits, undici's timeouts. */
const FOREIGN = [
  '"[object Object]"',
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "undefined",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "NOAUTH",
  "FUNCTION_INVOCATION_TIMEOUT",
  // test/integration/errors/messages.test.ts provokes them.
  "the circuit is open",
  "circuit-open",
  "Failed to fetch",
  "Runtime.NodeJsExit",
  "Task timed out",
  "UND_ERR_CONNECT_TIMEOUT",
  "Unauthorized",
  "blocked by CORS policy",
  "to read its responses",
  "max number of clients reached",
  "plain HTTP request was sent to HTTPS port",
  "too many connections",
  "EPROTO",
];

describe("docs/troubleshooting.md", () => {
  const servers: Server[] = [];
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ token: "t" });
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await gateway.close();
  });

  async function listen(server: Server): Promise<string> {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const tcp = (serve: (socket: Socket) => void) => listen(createServer(serve));
  const http = (status: number, body: string, headers: Record<string, string>) =>
    listen(createHttpServer((_, response) => response.writeHead(status, headers).end(body)));
  const speaking = (bytes: string) => tcp((socket) => socket.once("data", () => socket.end(bytes)));
  const silent = () => tcp(() => {});
  const closing = () => tcp((socket) => socket.once("data", () => socket.end()));
  /** The address of a port that nothing listens on any more. */
  const nothing = async () => {
    const server = createServer();
    const url = await listen(server);
    server.close();
    return url;
  };
  const get = (url: string, path = "/") =>
    new Promise((_, fail) =>
      request(url + path)
        .on("error", fail)
        .end(),
    );
  const client = (url: string, token = "t") => new Redis({ url, token, retry: false });
  const https = () => gateway.url.replace("http:", "https:");
  const tls = ({ key, cert }: Certificate) =>
    listen(createTlsServer({ key, cert })).then((url) =>
      url.replace("http://127.0.0.1", "https://localhost"),
    );
  const selfSigned = () => tls(makeCertificate());
  const privateAuthority = () => tls(makeAuthority().issue());

  const provoked: [text: string, provoke: () => Promise<unknown>][] = [
    ["ECONNRESET", async () => get(await closing())],
    ["socket hang up", async () => get(await closing())],
    ["other side closed", async () => fetch(await closing())],
    ["UND_ERR_SOCKET", async () => fetch(await closing())],
    ["fetch failed", async () => fetch(await nothing())],
    ["ECONNREFUSED", async () => client(await nothing()).get("a")],
    ["ECONNREFUSED", async () => fetch(await nothing())],
    ["ENOTFOUND", () => client("http://none.invalid").get("a")],
    ["wrong version number", () => fetch(https())],
    ["does not use TLS at this port", () => client(https()).get("a")],
    ["but TLS", async () => client(await speaking("\x15\x03\x01")).get("a")],
    ["not an HTTP/1.1 response", async () => client(await speaking("-ERR\r\n")).get("a")],
    ["closed without a response", async () => client(await closing()).get("a")],
    ["ERR_SSL_WRONG_VERSION_NUMBER", () => fetch(https())],
    ["self-signed certificate", async () => client(await selfSigned()).get("a")],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", async () => fetch(await selfSigned())],
    ["unable to verify the first certificate", async () => client(await privateAuthority()).get("a")],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", async () => fetch(await privateAuthority())],
    ["TimeoutError", async () => new Redis({ url: await silent(), token: "t", timeout: 100 }).get("a")],
    ["sent and may have been applied", async () => client(await closing()).set("a", 1)],
    ["UnknownOutcomeError", async () => client(await closing()).set("a", 1)],
    ["WRONGPASS", () => client(gateway.url, "no").get("a")],
    ["url and token missing", () => new Redis({}).get("a")],
    ["is not set, but", () => Redis.fromEnv({ WARMLINE_URL: gateway.url }).get("a")],
    ["url is a redis:// address", async () => client("redis://127.0.0.1:6379").get("a")],
    [
      "is url that of a Redis HTTP endpoint?",
      async () => client(await http(200, "<html>", { "content-type": "text/html" })).get("a"),
    ],
    ["NOPERM", () => client(gateway.url).exec(["CONFIG", "GET", "save"])],
    ["changes the state of a connection", () => client(gateway.url).exec(["SELECT", "1"])],
  ];

  test.each(provoked)("the page names %s", async (text, provoke) => {
    expect(page).toContain(`\`${text}`);
    const error = await provoke().then(
      () => undefined,
      (thrown: Error & { code?: string; cause?: Error & { code?: string } }) => thrown,
    );
    const { name, message, code, cause } = error!;
    expect([name, message, code, cause?.message, cause?.code].join("\n")).toContain(text);
  });

  test.each(["http://none.invalid", "closing"])(
    "warmline/fetch names the reason of fetch failed: %s",
    async (at) => {
      const url = at === "closing" ? await closing() : at;
      const { message, cause, outcome } = await new FetchRedis({ url, token: "t", retry: false })
        .set("a", 1)
        .then(
          () => expect.unreachable(),
          (error) => error,
        );
      expect(message).not.toContain("fetch failed");
      expect(message.endsWith(cause.message)).toBe(true);
      expect(page).toContain(`\`${cause.code}\``);
      expect(outcome).toBe("unknown");
    },
  );

  test("each text of the table is provoked here, or foreign", () => {
    const rows = page.split("\n").filter((line) => /^\| .*\]\(#/.test(line));
    const texts = rows.flatMap((row) =>
      [...row.split(" | ")[0]!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
    );
    const known = new Set([...FOREIGN, ...provoked.map(([text]) => text)]);
    expect(texts.filter((text) => !known.has(text))).toEqual([]);
    expect(texts.length).toBeGreaterThan(30);
  });
});
