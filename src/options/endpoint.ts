import { ConfigError } from "../errors.js";
import { assertConfig } from "./assert-config.js";
import type { RedisOptions } from "./options.js";

/** The parts of an endpoint. */
export interface Endpoint {
  readonly origin: string;
  /** The path to which commands are sent, without a trailing slash. */
  readonly path: string;
  readonly token: string;
  /** The environment, so that errors can name the variable that holds the token. */
  readonly env?: Env | undefined;
}

/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The key of the environment in the options that `Redis.fromEnv()` passes. */
export const ENV = Symbol("env");

/** Prefixes of the variables for url and token, such as `WARMLINE_URL` and `WARMLINE_TOKEN`, in order of precedence. */
const PREFIXES = ["WARMLINE_", "UPSTASH_REDIS_REST_", "KV_REST_API_"];

/** Returns a variable without surrounding white space, such as a line end or a byte order mark. */
const read = (env: Env | undefined, name: string) => env?.[name]?.trim();

/** Returns the first complete pair of url and token in the environment. */
export function readEndpointFromEnv(env: Env): Pick<RedisOptions, "url" | "token"> {
  for (const prefix of PREFIXES) {
    const [url, token] = [read(env, `${prefix}URL`), read(env, `${prefix}TOKEN`)];
    if (url && token) return { url, token };
  }
  return {};
}

/** Returns the text that is appended to the error of a refused token. It names the endpoint and the token's variable. */
export function refusedToken({ origin, token, env }: Endpoint): string {
  const prefix = PREFIXES.find((prefix) => read(env, `${prefix}TOKEN`) === token);
  return `; ${origin} refused the token ${prefix ? `in ${prefix}TOKEN` : "passed as `token`"}`;
}

/** Whether an object is an environment, such as that of a Cloudflare Worker, rather than options. */
export function isEnvironment(value: object): value is Env {
  return PREFIXES.some((prefix) => `${prefix}URL` in value || `${prefix}TOKEN` in value);
}

/** Returns the error of a client without url or token. If only one variable of a pair is set, the error names the other. */
function missingEndpoint({ url, token }: RedisOptions, env: Env | undefined): ConfigError {
  for (const prefix of PREFIXES) {
    const [set, unset] = read(env, `${prefix}URL`) ? ["URL", "TOKEN"] : ["TOKEN", "URL"];
    if (read(env, prefix + set))
      return new ConfigError(`${prefix}${unset} is not set, but ${prefix}${set} is`);
  }
  const missing = url ? "token" : token ? "url" : "url and token";
  const names = PREFIXES.map((prefix) => `${prefix}URL and ${prefix}TOKEN`).join(", or ");
  return new ConfigError(
    `${missing} missing: pass them to new Redis({ url, token }), or set ${names}${env ? "" : ", and use Redis.fromEnv()"}`,
  );
}

/**
 * Parses url and token. If one is missing, returns the error with which every command rejects. It is not thrown, so that a build can
 * import a module that creates a client.
 * @param env the environment, if url and token were read from it.
 * @throws ConfigError if url or token is malformed.
 */
export function parseEndpoint(options: RedisOptions, env?: Env): Endpoint | ConfigError {
  const { url, token } = options;
  if (!url || !token) return missingEndpoint(options, env);
  const prefix = PREFIXES.find((prefix) => read(env, `${prefix}URL`) === url);
  const assert = (holds: boolean, message: string) =>
    assertConfig(holds, prefix ? message.replace(/^\w+/, (name) => prefix + name.toUpperCase()) : message);
  assert(URL.canParse(url), "url must be a URL such as https://host, without quotes");
  const { origin, port, protocol, pathname, username, password, search, hash } = new URL(url);
  assert(
    !/^rediss?:/.test(protocol),
    "url is a redis:// address: run `npx warmline-gateway --redis <url>` and pass its url",
  );
  assert(/^https?:/.test(protocol), "url must begin with https:// or http://");
  assert(!username && !password, "url must not contain a user or password: pass the token as `token`");
  assert(!search && !hash, 'url must not contain "?" or "#"');
  assert(port !== "0", "url must not have port 0");
  // Characters that a token in a header can contain. The usual mistakes are quotes and a line break, pasted with the token.
  assert(
    /^(?!["'`])[\x21-\x7e]+$/.test(token),
    "token has a quote, line break or other character that a header can't contain: remove it",
  );
  return { origin, path: pathname.replace(/\/+$/, ""), token };
}
