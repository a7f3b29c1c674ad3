import { isIPv6 } from "node:net";

/** Which `Host` and `Origin` headers of requests are allowed. */
export interface OriginRules {
  /** Whether the Host header must name this machine. Protects a gateway on a loopback address from DNS rebinding. */
  readonly loopbackHostOnly: boolean;
  /** Other names that are allowed in the Host header. */
  readonly hosts: readonly string[];
  /** Other origins whose pages may send requests. `*` allows all. */
  readonly origins: readonly string[];
}

/** The headers that identify the origin of a request. */
type OriginHeaders = { readonly [name in "host" | "origin" | "sec-fetch-site"]?: string | undefined };

/**
 * Returns the reason why the origin of a request is not allowed, or null if it is. Programs other than browsers send neither
 * `Origin` nor `Sec-Fetch-Site`, and pass.
 */
export function originDenialReason(headers: OriginHeaders, rules: OriginRules): string | null {
  const { host, origin } = headers;
  if (rules.loopbackHostOnly && host !== undefined) {
    const name = hostName(host);
    if (!isLoopbackName(name) && !rules.hosts.includes(name)) {
      return "the Host header does not name this machine (setting allowedHosts)";
    }
  }
  const site = headers["sec-fetch-site"];
  const isOtherOrigin = origin !== undefined && !isSameOrigin(origin, host);
  const isForeign = isOtherOrigin || site === "cross-site" || site === "same-site";
  if (!isForeign || (origin !== undefined && originAllowed(origin, rules))) return null;
  return "requests from other sites are refused (setting cors)";
}

/** Whether the rules list `origin`, or allow all origins. */
export function originAllowed(origin: string, rules: OriginRules): boolean {
  return rules.origins.includes("*") || rules.origins.includes(origin);
}

/** An origin of any scheme: apps have origins too (`capacitor://localhost`). */
const ORIGIN_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/;

/**
 * Checks that the origins have the form that browsers send. An origin in another form would never match.
 * @throws {TypeError} that names the option and the entry
 */
export function checkOrigins(origins: readonly string[]): void {
  for (const [at, origin] of origins.entries()) {
    if (origin === "*" || origin === "null") continue;
    const isWeb = /^https?:/i.test(origin) && URL.canParse(origin);
    const normal = isWeb ? new URL(origin).origin : origin;
    if (normal !== origin)
      throw new TypeError(
        `cors: entry ${at + 1} must be an origin alone, without a path or a default port, in lower case`,
      );
    if (!isWeb && !ORIGIN_FORM.test(origin)) {
      throw new TypeError(`cors: entry ${at + 1} must be an origin, such as https://app.example`);
    }
  }
}

/**
 * Checks that the names have the form that is compared with Host headers: lower case, without port.
 * @throws {TypeError} that names the option and the entry
 */
export function checkHosts(hosts: readonly string[]): void {
  for (const [at, host] of hosts.entries()) {
    if (isIPv6(host) || /^[a-z0-9._-]+$/.test(host)) continue;
    throw new TypeError(
      `allowedHosts: entry ${at + 1} must be a name in lower case, without scheme and port, such as box.example`,
    );
  }
}

/** Whether a host name always means this machine. */
export function isLoopbackName(name: string): boolean {
  return (
    name === "localhost" ||
    name === "::1" ||
    name.endsWith(".localhost") ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  );
}

/** Returns the name in a Host header, without port and brackets, in lower case. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  if (bracketed) return bracketed[1]!.toLowerCase();
  return host.replace(/:\d*$/, "").toLowerCase();
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
