import { isIPv6, SocketAddress } from "node:net";

/** The first bytes of every header of the PROXY protocol, version 2. */
export const SIGNATURE = Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]);

/** Replacements for the default fields of {@link proxyHeader}. */
export interface ProxyHeaderParts {
  /** Address of the client. */
  readonly source?: string;
  readonly version?: number;
  /** 0 is LOCAL, 1 is PROXY. */
  readonly command?: number;
  readonly family?: number;
  /** In place of addresses and ports. */
  readonly rest?: Buffer;
  /** Behind them. */
  readonly more?: Buffer;
}

/** Writes a header of the PROXY protocol as a load balancer would. */
export function proxyHeader(parts: ProxyHeaderParts): Buffer {
  const { source, version = 2, command = 1, more = Buffer.alloc(0) } = parts;
  const addresses =
    source === undefined ? Buffer.alloc(0) : Buffer.concat([bytesOf(source), bytesOf(source), PORTS]);
  const rest = Buffer.concat([parts.rest ?? addresses, more]);
  const family = parts.family ?? (source === undefined ? 0 : isIPv6(source) ? 0x21 : 0x11);
  const fixed = Buffer.from([(version << 4) | command, family, rest.length >> 8, rest.length & 0xff]);
  return Buffer.concat([SIGNATURE, fixed, rest]);
}

const PORTS = Buffer.from([0xdc, 0x04, 0x01, 0xbb]);

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  const [, v4] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const tail = v4?.split(".").map(Number);
  const text = tail
    ? address.replace(
        v4!,
        `${((tail[0]! << 8) | tail[1]!).toString(16)}:${((tail[2]! << 8) | tail[3]!).toString(16)}`,
      )
    : new SocketAddress({ address, family: "ipv6" }).address;
  const [head = "", rest = ""] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = groups(rest);
  const all = [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, "0"), "hex")));
}
