/** The address of a server. */
export interface ServerAddress {
  /** The host, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** Returns the server of a URL. */
export function toServer({ hostname, port, protocol }: URL): ServerAddress {
  const tls = protocol === "https:";
  return { host: hostname.replace(/[[\]]/g, ""), port: +port || (tls ? 443 : 80), tls };
}
