import { createServer as createTlsServer } from "node:https";
import { expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { makeCertificate } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { httpResponse, jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { beforeTests } from "../../support/lifetime.js";
import { startServer } from "../../support/start-server.js";

// Mistakes of a newcomer, and the message that each gives: what is wrong, where, and what to do.

const HTML = "<!doctype html><title>404 Not Found</title>";

let gateway: TestGateway;
let away: Gateway;
let redis: Redis;
/** The URL of an HTTPS server. */
let tlsUrl: string;
const endpoints: Record<string, RawEndpoint> = {};

/** Responses of servers that are not a Redis HTTP endpoint, or a broken one, by name. */
const responses: Record<string, (socket: { write(bytes: string): unknown; destroy(): unknown }) => unknown> =
  {
    missing: (socket) => socket.write(httpResponse(HTML, { "content-type": "text/html" }, "404 Not Found")),
    empty: (socket) => socket.write(httpResponse("", {})),
    truncated: (socket) => socket.write(jsonResponse('{"result":')),
    closed: (socket) => socket.destroy(),
    silent: () => {},
    pong: (socket) => socket.write("+PONG\r\n"),
    inlineError: (socket) => socket.write("-ERR unknown command 'POST'\r\n"),
    alert: (socket) => socket.write("\x15\x03\x01\x00\x02\x02\x0a"),
  };

beforeTests(async (shared) => {
  gateway = shared(await startGateway({ token: "t" }));
  const options = { redis: "redis://127.0.0.1:1", port: 0, token: "t", logLevel: "silent" } as const;
  away = shared(await createGateway(options));
  redis = new Redis(gateway);
  for (const [name, respond] of Object.entries(responses)) {
    const endpoint = shared(await RawEndpoint.start());
    endpoint.onRequest = ({ socket }) => void respond(socket);
    endpoints[name] = endpoint;
  }
  const certificate = makeCertificate();
  shared({ close: () => certificate.remove() });
  const server = createTlsServer(certificate, (_, response) => response.end());
  tlsUrl = `https://127.0.0.1:${shared(await startServer(server)).port}`;
});

const client = (url: string, options: RedisOptions = {}) =>
  new Redis({ url, token: "t", retry: { retries: 1, backoff: () => 1 }, ...options });
const at = (name: string, options?: RedisOptions) => client(endpoints[name]!.url, options);
/** Lets through what the types refuse, as JavaScript does. */
const loose = (value: any): any => value;
const plain = (url: string) => url.replace("https:", "http:");

const NOT_SENT = "ConnectionError [unsent] GET: not sent: ";
const NO_ENDPOINT = "ProtocolError [unknown] GET: no complete response: ";
const NO_RESPONSE = "UnknownOutcomeError [unknown] GET: no complete response: ";
const VARIABLES =
  "WARMLINE_URL and WARMLINE_TOKEN, or UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, or KV_REST_API_URL and KV_REST_API_TOKEN";
const NAMES = "ifEq, ifNe, ifDeq, ifDne, nx, xx, get, ex, px, exat, pxat, keepTtl";

/** A mistake, what provokes it, and the error. In its text, URL stands for the address of the server. */
type Mistake = readonly [mistake: string, provoke: () => unknown, error: string];

const connecting: Mistake[] = [
  [
    "url is that of another server",
    () => at("missing").get("k"),
    `${NO_ENDPOINT}the endpoint responded with status 404: is url that of a Redis HTTP endpoint?`,
  ],
  [
    "the server responds with nothing",
    () => at("empty").get("k"),
    `${NO_ENDPOINT}status 200 with content type missing: is url that of a Redis HTTP endpoint?`,
  ],
  ["a proxy cuts the response off", () => at("truncated").get("k"), `${NO_ENDPOINT}the response is not JSON`],
  [
    "url is that of Redis, which closes the connection",
    () => at("closed").get("k"),
    `${NO_RESPONSE}the connection was closed without a response: url must be that of a Redis HTTP endpoint, such as warmline-gateway, not of Redis itself, and begin with https:// if the port uses TLS`,
  ],
  [
    "url is that of a Redis that replies",
    () => at("inlineError").get("k"),
    `${NO_RESPONSE}not an HTTP/1.1 response, but one of Redis itself: url must be that of a Redis HTTP endpoint, such as warmline-gateway`,
  ],
  [
    "url begins with http:// instead of https://, and the server sends a TLS alert",
    () => at("alert").get("k"),
    `${NO_RESPONSE}not an HTTP/1.1 response, but TLS: url must begin with https://`,
  ],
  [
    "url begins with http:// instead of https://",
    () => client(plain(tlsUrl)).get("k"),
    `${NO_RESPONSE}the connection was closed without a response: url must be that of a Redis HTTP endpoint, such as warmline-gateway, not of Redis itself, and begin with https:// if the port uses TLS`,
  ],
  [
    "url begins with https:// instead of http://",
    () => client(gateway.url.replace("http:", "https:")).get("k"),
    `${NOT_SENT}the server does not use TLS at this port: url must begin with http://, or have another port`,
  ],
  [
    "url is that of Redis, with https://",
    () => client(endpoints.silent!.url.replace("http:", "https:"), { timeout: 250, circuit: false }).get("k"),
    "TimeoutError [unsent] GET: no response within 250 ms; the command was not sent; last error: no connection was ready: check url, the network and maxConnections",
  ],
  [
    "the certificate is self-signed",
    () => client(tlsUrl).get("k"),
    `${NOT_SENT}self-signed certificate: pass its authority as tls: { ca }, or in NODE_EXTRA_CA_CERTS`,
  ],
  [
    "the host of url is misspelt",
    () => client("http://no-such-host.invalid").get("k"),
    `${NOT_SENT}getaddrinfo ENOTFOUND no-such-host.invalid`,
  ],
  [
    "the gateway's Redis does not run, and the command is a read",
    () => client(away.url).get("k"),
    `${NOT_SENT}Redis could not be reached: ECONNREFUSED`,
  ],
  [
    "the server is slow, and the command is a write",
    () => at("silent", { timeout: 1_500, circuit: false }).set("k", 1),
    "TimeoutError [unknown] SET: no response within 1500 ms; the command was sent and may have been applied",
  ],
  [
    "the token is passed, and wrong",
    () => client(gateway.url, { token: "wrong" }).get("k"),
    "RedisError [answered] WRONGPASS invalid or missing auth token; URL refused the token passed as `token` (command: GET)",
  ],
  [
    "the token in the environment is wrong",
    () => Redis.fromEnv({ KV_REST_API_URL: gateway.url, KV_REST_API_TOKEN: "wrong" }).get("k"),
    "RedisError [answered] WRONGPASS invalid or missing auth token; URL refused the token in KV_REST_API_TOKEN (command: GET)",
  ],
  [
    "the token of a subscription is wrong",
    () => client(gateway.url, { token: "wrong" }).subscribe("c").ready,
    "RedisError [answered] WRONGPASS invalid or missing auth token; URL refused the token passed as `token` (command: SUBSCRIBE)",
  ],
  [
    "a subscription's url is that of another server",
    () => at("missing").subscribe("c").ready,
    "ProtocolError [unsent] SUBSCRIBE: the endpoint responded with status 404: is url that of a Redis HTTP endpoint?",
  ],
];

const calls: Mistake[] = [
  [
    "new Redis() gets no url",
    () => new Redis().get("k"),
    `ConfigError [unsent] url and token missing: pass them to new Redis({ url, token }), or set ${VARIABLES}, and use Redis.fromEnv()`,
  ],
  [
    "an await is missing",
    () => redis.set("k", loose(Promise.resolve(1))),
    "ArgumentError [unsent] SET: argument 2 is a promise: is an `await` missing?",
  ],
  [
    "an option is unknown",
    () => redis.set("k", 1, loose({ expire: 60 })),
    `ArgumentError [unsent] SET: argument 3 has an unknown option expire; it takes ${NAMES}`,
  ],
  [
    "a raw command is one text",
    () => redis.exec(loose("GET k")),
    'ArgumentError [unsent] exec: pass an array with each word apart, such as ["CONFIG", "GET", "x"]',
  ],
  [
    "a command changes the connection",
    () => redis.exec(["SELECT", "1"]),
    "ArgumentError [unsent] SELECT changes the state of a connection, which requests share: use redis.multi() for transactions",
  ],
  [
    "a command is closed to programs",
    () => redis.exec(["CONFIG", "GET", "*"]),
    `RedisError [answered] NOPERM this user has no permissions to run the 'config' command; --allow-command "CONFIG GET" opens it to admin tokens (command: CONFIG)`,
  ],
];

test.each([...connecting, ...calls])("%s: the error says so", async (_mistake, provoke, expected) => {
  const caught = await Promise.resolve()
    .then(provoke)
    .then(
      () => "no error",
      ({ name, outcome, message }) => `${name} [${outcome}] ${message}`,
    );
  expect(
    caught.replace(/http:\/\/127\.0\.0\.1:\d{4,}/, "URL").replace(/; if the root CA .*--use-system-ca/, ""),
  ).toBe(expected);
});
