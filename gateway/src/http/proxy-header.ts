/** The content of a header of the PROXY protocol. */
export interface ProxyHeader {
  /** The client's address; null if the header has none, so that the sender itself is the client. */
  readonly address: string | null;
  /** Bytes of the header: the connection's own bytes begin behind them. */
  readonly length: number;
}

/** A connection does not begin with a header of the PROXY protocol, version 2. */
export class MalformedProxyHeader extends Error {}

const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
/** Signature, version and command, family and transport, length. */
const FIXED = 16;
/** The longest rest that is read, in bytes: addresses, and other facts that proxies add about a connection. */
const MAX_REST = 4_096;

/** The prefix of an IPv4-mapped IPv6 address. */
const MAPPED = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

const LOCAL = 0;
const PROXY = 1;
const UNSPECIFIED = 0x00;
const TCP4 = 0x11;
const TCP6 = 0x21;
const UNIX_STREAM = 0x31;
/** Bytes of the addresses and ports of both ends, by family and transport. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = {
  [UNSPECIFIED]: 0,
  [TCP4]: 12,
  [TCP6]: 36,
  [UNIX_STREAM]: 216,
};

/**
 * Reads a header of the PROXY protocol, version 2 (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt).
 * Returns null while more bytes are needed.
 * @throws {MalformedProxyHeader} as soon as the bytes cannot become such a header
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | null {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (SIGNATURE.compare(bytes, 0, known, 0, known) !== 0) throw new MalformedProxyHeader("no signature");
  if (bytes.length < FIXED) return null;
  const version = bytes[12]! >> 4;
  const command = bytes[12]! & 0xf;
  if (version !== 2) throw new MalformedProxyHeader("not version 2");
  if (command !== LOCAL && command !== PROXY) throw new MalformedProxyHeader("unknown command");
  const rest = bytes.readUInt16BE(14);
  if (rest > MAX_REST) throw new MalformedProxyHeader("too long");
  const family = bytes[13]!;
  if (command === PROXY) {
    const size = ADDRESS_BYTES[family];
    if (size === undefined) throw new MalformedProxyHeader("unknown family");
    if (rest < size) throw new MalformedProxyHeader("too short for its addresses");
  }
  const length = FIXED + rest;
  if (bytes.length < length) return null;
  // A LOCAL connection is the proxy's own, such as a health check.
  return { address: command === PROXY ? sourceAddress(bytes, family) : null, length };
}

function sourceAddress(bytes: Buffer, family: number): string | null {
  if (family === TCP4) return bytes.subarray(FIXED, FIXED + 4).join(".");
  if (family !== TCP6) return null;
  if (MAPPED.equals(bytes.subarray(FIXED, FIXED + MAPPED.length)))
    return bytes.subarray(FIXED + MAPPED.length, FIXED + 16).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(FIXED + 2 * at).toString(16));
  // In the form that everything else writes it.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
