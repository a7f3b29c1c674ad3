import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedProxyHeader, readProxyHeader } from "../../../../gateway/src/http/proxy-header.js";
import { proxyHeader, SIGNATURE } from "../../../support/proxy-header.js";

const v4 = proxyHeader({ source: "203.0.113.9" });
const v6 = proxyHeader({ source: "2001:db8::17" });

describe("a PROXY header", () => {
  test.each([
    ["IPv4", v4, "203.0.113.9", 28],
    ["IPv6", v6, "2001:db8::17", 52],
    ["IPv6 with an IPv4 address inside", proxyHeader({ source: "::ffff:203.0.113.9" }), "203.0.113.9", 52],
    ["LOCAL", proxyHeader({ command: 0 }), null, 16],
    ["LOCAL with addresses", proxyHeader({ command: 0, source: "203.0.113.9" }), null, 28],
    ["PROXY without addresses", proxyHeader({ family: 0 }), null, 16],
    ["a UNIX socket", proxyHeader({ family: 0x31, rest: Buffer.alloc(216) }), null, 232],
    [
      "more behind the addresses",
      proxyHeader({ source: "1.2.3.4", more: Buffer.from("\x04\0\x03abc") }),
      "1.2.3.4",
      34,
    ],
  ])("a PROXY header has the client's address: %s", (_what, bytes, address, length) => {
    expect(readProxyHeader(bytes)).toEqual({ address, length });
    const followed = Buffer.concat([bytes, Buffer.from("GET / HTTP/1.1\r\n")]);
    expect(readProxyHeader(followed)).toEqual({ address, length });
    for (let cut = 0; cut < bytes.length; cut++) expect(readProxyHeader(bytes.subarray(0, cut))).toBeNull();
  });

  test.each([
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["version 1", Buffer.from("PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n")],
    ["a letter of the signature", Buffer.concat([SIGNATURE.subarray(0, 11), Buffer.from("X")])],
    ["another version", proxyHeader({ source: "1.2.3.4", version: 1 })],
    ["an unknown command", proxyHeader({ source: "1.2.3.4", command: 2 })],
    ["an unknown family", proxyHeader({ family: 0x41, rest: Buffer.alloc(12) })],
    ["datagrams", proxyHeader({ family: 0x12, rest: Buffer.alloc(12) })],
    ["addresses that are too short for IPv4", proxyHeader({ family: 0x11, rest: Buffer.alloc(11) })],
    ["addresses that are too short for IPv6", proxyHeader({ family: 0x21, rest: Buffer.alloc(12) })],
    ["a length beyond all measure", proxyHeader({ source: "1.2.3.4", more: Buffer.alloc(60_000) })],
  ])("%s is not a PROXY header", (_what, bytes) => {
    expect(() => readProxyHeader(bytes)).toThrow(MalformedProxyHeader);
  });

  test("a PROXY header is refused at its first wrong byte, and any other bytes give a result or an error of that kind", () => {
    expect(() => readProxyHeader(Buffer.from("P"))).toThrow(MalformedProxyHeader);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat({ max: v6.length }), (noise, at) => {
        const bytes = Buffer.from(v6);
        bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), at);
        try {
          const header = readProxyHeader(bytes);
          if (header) expect(header.length).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedProxyHeader);
        }
      }),
    );
  });
});
