import { describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/errors.js";
import { resolveNetwork } from "../../../src/transport/node/network.js";
import { makeAuthority } from "../../../testbed/src/index.js";

const direct = undefined;
const resolve = (options = {}, env = {}, origin = "https://redis.example") =>
  resolveNetwork(options, origin, env);

describe("the environment", () => {
  const HTTPS_PROXY = "http://proxy:3128";

  test.each([
    ["https://redis.example", "", true],
    ["http://redis.example", "", false],
    ["https://localhost:8443", "", false],
    ["https://localhost.", "", false],
    ["https://127.0.0.1:8443", "", false],
    ["https://[::1]:8443", "", false],
    ["https://redis.example", "redis.example", false],
    ["https://redis.example", "REDIS.example", false],
    ["https://redis.example", "other.example, example", false],
    ["https://redis.example", ".example", false],
    ["https://redis.example", "*.example", false],
    ["https://redis.example", "*", false],
    ["https://redis.example", "dis.example", true],
    ["https://redis.example", "redis.example:443", false],
    ["https://redis.example:8443", "redis.example:443", true],
  ])("a connection to %s with NO_PROXY=%j uses the proxy: %j", (origin, NO_PROXY, expected) => {
    expect(resolve({}, { HTTPS_PROXY, NO_PROXY }, origin)?.proxy !== direct).toBe(expected);
  });

  test("the lower-case variables come first", () => {
    const env = { HTTPS_PROXY, https_proxy: "http://other:1" };
    expect(resolve({}, env)?.proxy).toMatchObject({ host: "other", port: 1 });
  });

  test("a proxy without a scheme is http://", () => {
    const proxy = { host: "proxy", port: 3128, tls: false, authorization: undefined };
    expect(resolve({}, { HTTPS_PROXY: "proxy:3128" })?.proxy).toEqual(proxy);
  });

  test("the option proxy: false ignores the environment", () => {
    expect(resolve({ proxy: false }, { HTTPS_PROXY })).toBe(direct);
  });
});

test("user and password of a proxy are percent-decoded", () => {
  const { proxy } = resolve({ proxy: "https://ada:s%40cret@proxy" })!;
  const authorization = `Basic ${Buffer.from("ada:s@cret").toString("base64")}`;
  expect(proxy).toEqual({ host: "proxy", port: 443, tls: true, authorization });
});

test("networks with other certificates or proxies have other keys, which hold no secret", () => {
  const [one, other] = [makeAuthority(), makeAuthority()];
  const { cert, key } = one.issue();
  const networks = [
    resolve({ tls: { ca: one.cert } }),
    resolve({ tls: { ca: other.cert } }),
    resolve({ tls: { ca: one.cert, cert, key } }),
    resolve({ tls: { ca: one.cert }, proxy: "http://proxy" }),
    resolve({ proxy: "http://ada:secret@proxy" }),
  ];
  expect(new Set(networks.map((network) => network!.key)).size).toBe(5);
  for (const network of networks) expect(network!.key).toMatch(/^[0-9a-f]{64}$/);
  expect(resolve({ tls: { ca: one.cert } })!.key).toBe(networks[0]!.key);
});

describe("certificates that can't be used are refused at once, not by each connection", () => {
  const { cert, key } = makeAuthority().issue();
  const other = makeAuthority().issue();
  test.each([
    ["an authority that is not PEM", { ca: "ca.pem" }],
    ["an empty authority", { ca: "" }],
    ["a list with a damaged authority", { ca: [cert, cert.slice(0, 200)] }],
    ["a certificate with escaped line breaks", { cert: cert.replaceAll("\n", "\\n"), key }],
    ["the key of another certificate", { cert, key: other.key }],
  ])("%s is a ConfigError", (_what, tls) => {
    expect(() => resolve({ tls })).toThrow(ConfigError);
    expect(() => resolve({ tls })).toThrow(/^tls: ca, cert, key must be PEM; key must match cert: /);
  });

  test("several authorities, and bytes, are accepted", () => {
    expect(resolve({ tls: { ca: [cert, Buffer.from(other.cert)], cert, key } })).toBeDefined();
    expect(resolve({ tls: { ca: cert + other.cert } })).toBeDefined();
  });
});

test.each([
  [{ proxy: "http://ada:100%@proxy" }, "proxy must be a URL such as http://user:password@host:3128"],
  [{ proxy: "socks5://proxy" }, "proxy must be a URL such as http://user:password@host:3128"],
  [
    { tls: { rejectUnauthorized: false } },
    "tls: unknown option rejectUnauthorized; it takes ca, cert, key, passphrase",
  ],
  [{ tls: { cert: "c" } }, "tls.cert and tls.key must be set together"],
  [{ tls: "pem" }, "tls must be an object such as { ca, cert, key }"],
])("the options %j are refused", (options, message) => {
  expect(() => resolve(options)).toThrow(message);
});

test("the option tls is refused with an http:// url", () => {
  expect(() => resolve({ tls: { ca: "a" } }, {}, "http://redis.example")).toThrow(
    "tls needs a url that begins with https://",
  );
});

test("a malformed HTTPS_PROXY is named", () => {
  expect(() => resolve({}, { HTTPS_PROXY: "http://" })).toThrow("HTTPS_PROXY must be a URL such as");
});
