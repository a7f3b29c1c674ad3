import { BlockList, isIP } from "node:net";

/** The addresses of proxies whose headers on the client's address are trusted. */
export class TrustedProxies {
  readonly #addresses = new BlockList();

  /**
   * @param ranges addresses, and ranges of them in CIDR notation
   * @throws {TypeError} that names the first entry that is neither
   */
  constructor(ranges: readonly string[]) {
    for (const [at, range] of ranges.entries()) {
      const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
      const family = isIP(address);
      const size = family === 4 ? 32 : 128;
      if (family === 0 || (bits !== undefined && Number(bits) > size)) {
        throw new TypeError(
          `trustedProxies: entry ${at + 1} must be an IP address or a range such as 10.0.0.0/8 or fd00::/8`,
        );
      }
      const type = family === 4 ? "ipv4" : "ipv6";
      this.#addresses.addSubnet(address, bits === undefined ? size : Number(bits), type);
    }
  }

  /**
   * Returns the address of the client of a request. Each proxy adds the address that it was reached from at the end of
   * `X-Forwarded-For`, so the list is read from its end, up to the first address that is no trusted proxy. Any client
   * may have written the entries before it.
   * @param peer the other end of the connection
   * @param forwarded the value of `X-Forwarded-For`
   */
  clientOf(peer: string, forwarded: string | undefined): string {
    let client = peer;
    if (forwarded === undefined) return client;
    const hops = forwarded.split(",");
    while (this.#has(client)) {
      const next = addressIn(hops.pop() ?? "");
      if (next === null) break;
      client = next;
    }
    return client;
  }

  #has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#addresses.check(address, family === 4 ? "ipv4" : "ipv6");
  }
}

/** An IP address as it is written elsewhere: an IPv4 address that came by an IPv6 socket as the one it is. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** The address of an entry, which some proxies write with a port; null if it is not an address. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? withPort ?? text;
  return isIP(address) === 0 ? null : plainAddress(address);
}
