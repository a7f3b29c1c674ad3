import { describe, expect, test } from "vitest";
import { plainAddress, TrustedProxies } from "../../../../gateway/src/http/trusted-proxies.js";

const proxies = new TrustedProxies(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);

describe("the client of a request", () => {
  test.each([
    ["no header", "10.0.0.1", undefined, "10.0.0.1"],
    ["one proxy", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["two proxies", "10.0.0.1", "203.0.113.9, 192.0.2.7", "203.0.113.9"],
    ["what the client wrote itself", "10.0.0.1", "1.1.1.1, 10.9.9.9, 203.0.113.9, 10.2.2.2", "203.0.113.9"],
    ["an untrusted peer", "203.0.113.9", "1.1.1.1", "203.0.113.9"],
    ["an untrusted peer that names a proxy", "203.0.113.9", "1.1.1.1, 10.0.0.1", "203.0.113.9"],
    ["a proxy's own request", "10.0.0.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["no address", "10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"],
    ["no address behind a proxy", "10.0.0.1", "<script>, 10.2.2.2", "10.2.2.2"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["IPv6", "fd00::5", "2001:db8::17", "2001:db8::17"],
    ["IPv6 in brackets, with a port", "fd00::5", "[2001:db8::17]:4711", "2001:db8::17"],
    ["IPv4 with a port", "fd00::5", "203.0.113.9:4711", "203.0.113.9"],
    ["IPv4 in IPv6", "10.0.0.1", "::ffff:203.0.113.9, ::ffff:10.2.2.2", "203.0.113.9"],
  ])("the client of a request is found: %s", (_what, peer, forwarded, client) => {
    expect(proxies.clientOf(peer, forwarded)).toBe(client);
  });

  test("the client of a request is the peer if no proxy is trusted", () => {
    expect(new TrustedProxies([]).clientOf("127.0.0.1", "1.1.1.1")).toBe("127.0.0.1");
  });
});

test.each([
  "10.0.0.0/33",
  "fd00::/129",
  "10.0.0",
  "proxy.test",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "",
  "10.0.0.0/-1",
])("'%s' is not a range", (range) => {
  expect(() => new TrustedProxies([range])).toThrow(
    "trustedProxies: entry 1 must be an IP address or a range such as 10.0.0.0/8 or fd00::/8",
  );
});

test("an IPv4 address from an IPv6 socket is written as IPv4", () => {
  expect(plainAddress("::ffff:127.0.0.1")).toBe("127.0.0.1");
  expect(plainAddress("::1")).toBe("::1");
});
