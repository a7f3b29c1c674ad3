import { ConfigError } from "../errors.js";
import { assertConfig } from "./check-options.js";
import type { RedisOptions } from "./options.js";

/** An endpoint, taken apart once per client. */
export interface Endpoint {
  readonly origin: string;
  /** The path that commands are sent to, without a slash at its end. */
  readonly path: string;
  readonly token: string;
}

/** Prefixes of the variables of a complete pair. URL and TOKEN follow them. */
const PREFIXES = ["WARMLINE_", "UPSTASH_REDIS_REST_", "KV_REST_API_"];

/** The first complete pair of url and token in the environment. */
export function readEndpointFromEnv(
  env: Record<string, string | undefined>,
): Pick<RedisOptions, "url" | "token"> {
  for (const prefix of PREFIXES) {
    const url = env[`${prefix}URL`];
    const token = env[`${prefix}TOKEN`];
    if (url && token) return { url, token };
  }
  return {};
}

/** Whether an object is an environment, as Cloudflare hands it to a Worker, rather than options. */
export function isEnvironment(value: object): value is Record<string, string | undefined> {
  return PREFIXES.some((prefix) => `${prefix}URL` in value || `${prefix}TOKEN` in value);
}

/**
 * @returns the endpoint, or the error that every command is to be rejected with when url or token is missing:
 * a build that only imports a module which creates a client has to pass.
 * @throws ConfigError when the url or the token is malformed.
 */
export function parseEndpoint({ url, token }: RedisOptions): Endpoint | ConfigError {
  if (!url || !token) {
    const missing = url ? "token" : token ? "url" : "url and token";
    const names = PREFIXES.map((prefix) => `${prefix}URL and ${prefix}TOKEN`).join(", or ");
    return new ConfigError(`${missing} missing: pass them to new Redis({ url, token }), or set ${names}`);
  }
  const { origin, protocol, pathname, username, password, search, hash } = parseUrl(url);
  assertConfig(
    !/^rediss?:/.test(protocol),
    "url is a redis:// address: run `npx warmline-gateway --redis <url>` and pass the url that it prints",
  );
  assertConfig(/^https?:/.test(protocol), "url must begin with https:// or http://");
  assertConfig(!username && !password, "url must not contain a user or password: pass the token as `token`");
  assertConfig(!search && !hash, 'url must not contain "?" or "#"');
  // Characters that a header can hold. A line break pasted along with the token is the usual mistake.
  assertConfig(
    /^[\x21-\x7e]+$/.test(token),
    "token has a character that a header can't contain, such as a line break",
  );
  return { origin, path: pathname.replace(/\/+$/, ""), token };
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new ConfigError("url must be a URL such as https://host");
  }
}
