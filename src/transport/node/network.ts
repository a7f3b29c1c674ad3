import type { SecureContextOptions } from "node:tls";
import { ConfigError } from "../../errors.js";
import { assertConfig } from "../../options/assert-config.js";
import { findUnknownOption } from "../../options/option-names.js";
import type { RedisOptions, TlsOptions } from "../../options/options.js";
import { type ServerAddress, toServer } from "../../util/server-address.js";
import { builtin } from "./builtin.js";

/** A proxy that opens tunnels by CONNECT (RFC 9110, section 9.3.6). */
export interface ProxyServer extends ServerAddress {
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/** TLS options and proxy of the connections to an origin. */
export interface Network {
  /** Connections are shared only by clients whose networks have the same key. */
  readonly key: string;
  readonly tls: TlsOptions | undefined;
  readonly proxy: ProxyServer | undefined;
}

type Env = Record<string, string | undefined>;

/**
 * Returns the network of an origin, or undefined if it has neither TLS options nor a proxy.
 * @throws ConfigError naming the option or variable that is wrong.
 */
export function resolveNetwork(
  { tls, proxy }: Pick<RedisOptions, "tls" | "proxy">,
  origin: string,
  env: Env,
): Network | undefined {
  const url = new URL(origin);
  if (tls) checkTls(tls, url);
  const server = proxy === undefined ? proxyFromEnv(url, env) : proxy && parseProxy("proxy", proxy);
  if (!tls && !server) return undefined;
  const parts = [server, tls?.ca, tls?.cert, tls?.key, tls?.passphrase].map((part) =>
    JSON.stringify(part ?? null),
  );
  const { createHash } = builtin("node:crypto");
  return { key: createHash("sha256").update(parts.join()).digest("hex"), tls, proxy: server || undefined };
}

function checkTls(tls: TlsOptions, { protocol }: URL): void {
  assertConfig(typeof tls === "object", "tls must be an object such as { ca, cert, key }");
  const unknown = findUnknownOption(tls, ["ca", "cert", "key", "passphrase"]);
  assertConfig(unknown === undefined, `tls: ${unknown}`);
  assertConfig(protocol === "https:", "tls needs a url that begins with https://");
  assertConfig(!tls.cert === !tls.key, "tls.cert and tls.key must be set together");
  try {
    // Node ignores a malformed certificate authority, and reports the other errors only when it connects.
    for (const ca of [tls.ca ?? []].flat()) new (builtin("node:crypto").X509Certificate)(ca);
    builtin("node:tls").createSecureContext(tls as SecureContextOptions);
  } catch (error) {
    throw new ConfigError(`tls: ca, cert, key must be PEM; key must match cert: ${(error as Error).message}`);
  }
}

function parseProxy(name: string, value: string): ProxyServer {
  try {
    const url = new URL(value);
    const { protocol, username, password } = url;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization = username ? `Basic ${Buffer.from(credentials).toString("base64")}` : undefined;
    if (/^https?:$/.test(protocol)) return { ...toServer(url), authorization };
  } catch {
    // Not a URL, or malformed percent-encoding.
  }
  throw new ConfigError(`${name} must be a URL such as http://user:password@host:3128`);
}

/** Returns the proxy that the environment names for an https:// origin, unless NO_PROXY excludes its host. */
function proxyFromEnv({ protocol, hostname, port }: URL, env: Env): ProxyServer | undefined {
  const value = env.https_proxy || env.HTTPS_PROXY;
  if (!value || protocol !== "https:" || isLoopback(hostname)) return undefined;
  const excluded = (env.no_proxy || env.NO_PROXY || "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (excluded.some((entry) => excludes(entry, hostname, port || "443"))) return undefined;
  // As in curl, a proxy without a scheme is http://.
  return parseProxy("HTTPS_PROXY", value.includes("://") ? value : `http://${value}`);
}

function isLoopback(hostname: string): boolean {
  // A dot at the end makes a name absolute (RFC 1034, section 3.1).
  return /^localhost\.?$/.test(hostname) || hostname === "[::1]" || hostname.startsWith("127.");
}

/** Whether an entry of NO_PROXY is the host, a domain above it, or `*`, and names no other port. */
function excludes(entry: string, hostname: string, port: string): boolean {
  const [, host = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry)!;
  if (entryPort !== undefined && entryPort !== port) return false;
  const domain = host.replace(/^\*?\./, "");
  return host === "*" || hostname === domain || hostname.endsWith(`.${domain}`);
}
