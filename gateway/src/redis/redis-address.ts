import type { Address } from "./cluster/topology.js";

const FORMS =
  "redis://[user:password@]host[:port][/db or ?db=N], rediss:// for TLS, several hosts with commas between them for a cluster, " +
  "redis+sentinel://[user:password@]host[:port],.../group[/db][?sentinelPassword=P], or unix:///path/to/socket[?db=N]";

const SCHEMES = ["redis:", "rediss:", "unix:", "redis+sentinel:", "rediss+sentinel:"];

export type RedisUrl = ReturnType<typeof parseRedisUrl>;

/**
 * Reads a Redis URL. Returns its content. A user may have no password, which settings then give.
 * @throws {TypeError} when it is not one of the forms understood; the message does not repeat it
 */
export function parseRedisUrl(url: string) {
  const parts = /^([a-z][a-z+]*:)\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(url);
  if (!parts) throw new TypeError(`redis: not a URL; expected ${FORMS}`);
  const [, scheme = "", authority = "", path = "", search = ""] = parts;
  if (!SCHEMES.includes(scheme)) {
    throw new TypeError(`redis: unknown scheme; expected ${FORMS}`);
  }
  // A plus means itself, as everywhere else in the URL.
  const query = new URLSearchParams(search.replaceAll("+", "%2B"));
  const at = authority.lastIndexOf("@");
  const [username, password] = signIn(authority.slice(0, Math.max(at, 0)));
  const isSocket = scheme === "unix:";
  const isSentinel = scheme.endsWith("+sentinel:");
  const addresses = isSocket ? [] : hostsIn(authority.slice(at + 1), isSentinel ? 26_379 : 6_379);
  const segments = path.split("/").slice(1).map(decoded);
  const group = isSentinel ? (segments.shift() ?? "") : "";
  if (isSentinel && group === "") throw new TypeError(`redis: the URL has no group name; expected ${FORMS}`);
  const [sentinelUsername, sentinelPassword] = ["sentinelUser", "sentinelPassword"].map((name) => {
    const value = query.get(name) ?? "";
    if (value && !isSentinel) throw new TypeError(`redis: ${name} is only for redis+sentinel://`);
    return value;
  }) as [string, string];
  if (sentinelUsername && !sentinelPassword) {
    throw new TypeError("redis: the URL has a sentinelUser but no sentinelPassword");
  }
  const db = (isSocket ? "" : segments[0]) || query.get("db") || "0";
  if (!/^\d{1,9}$/.test(db)) throw new TypeError("redis: the database in the URL is not a number");
  const isCluster = !isSentinel && (addresses.length > 1 || query.get("cluster") === "true");
  if (isCluster && Number(db) > 0) throw new TypeError("redis: a cluster has only database 0");
  return {
    /** The path of a UNIX socket; undefined for TCP. */
    path: isSocket ? decoded(path) : undefined,
    /** The address of one server, or those of a cluster's nodes or of Sentinels. Empty for a UNIX socket. */
    addresses,
    isTls: scheme.startsWith("rediss"),
    isSentinel,
    /** Whether the URL is that of a cluster: it has several nodes, or `?cluster=true`. */
    isCluster,
    /** The group of servers that Sentinel watches; empty without Sentinel. */
    group,
    username,
    password,
    /** User name for the Sentinels themselves. Empty for no sign-in, or for their default user. */
    sentinelUsername,
    /** Password for the Sentinels. Empty if they need none. */
    sentinelPassword,
    db: Number(db),
    /** What tokens of AWS are made for. Empty, or undefined, if the URL does not say it. */
    aws: {
      name: query.get("awsName") ?? "",
      region: query.get("awsRegion") ?? "",
      service: query.get("awsService") ?? "",
      serverless: query.has("awsServerless") ? query.get("awsServerless") === "true" : undefined,
    },
  };
}

function signIn(text: string): [username: string, password: string] {
  const colon = text.indexOf(":");
  const username = decoded(colon < 0 ? text : text.slice(0, colon));
  const password = colon < 0 ? "" : decoded(text.slice(colon + 1));
  return [username, password];
}

function hostsIn(list: string, usualPort: number): Address[] {
  return list.split(",").map((text) => {
    const [, host = "", port] = /^(\[[\da-f:.]+\]|[^:[\]\s]*)(?::(\d{1,5}))?$/i.exec(text) ?? [];
    if (host === "") throw new TypeError(`redis: the URL has no host; expected ${FORMS}`);
    if (Number(port ?? usualPort) > 65_535) throw new TypeError("redis: the port in the URL is above 65535");
    return { host: decoded(host).replace(/^\[|\]$/g, ""), port: Number(port ?? usualPort) };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("redis: the URL has a % that does not start an escape");
  }
}
