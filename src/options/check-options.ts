import { ConfigError } from "../errors.js";
import { unknownOption } from "./option-names.js";
import type { CallOptions, RedisOptions } from "./options.js";

/** @throws ConfigError with the message, unless the condition holds. */
export function assertConfig(holds: boolean, message: string): void {
  if (!holds) throw new ConfigError(message);
}

type Check = readonly [holds: (value: unknown) => boolean, wanted: string];

const isBoolean: Check = [(value) => typeof value === "boolean", "true or false"];
const isText: Check = [(value) => typeof value === "string", "text"];
const oneOf = (...values: unknown[]): Check => [
  (value) => values.includes(value),
  `one of ${values.join(", ")}`,
];
// The types are checked where the options are used: with null too, or with null taken for left out.
const isAnything: Check = [() => true, ""];
const isNotNull: Check = [(value) => value !== null, "left out rather than null"];

/** Options of `with()` and their checks. An option that is checked where it is used accepts anything here. */
const CALL_OPTIONS: Record<keyof CallOptions, Check> = {
  signal: isNotNull,
  timeout: isAnything,
  deadline: isNotNull,
  writes: oneOf("at-most-once", "exactly-once", "at-least-once"),
  codec: isAnything,
};

const OPTIONS: Record<keyof RedisOptions, Check> = {
  // An empty one counts as missing.
  url: [(value) => !value || typeof value === "string", "text"],
  token: [(value) => !value || typeof value === "string", "text"],
  ...CALL_OPTIONS,
  retry: [
    (value) => value === false || (typeof value === "object" && value !== null),
    "an object with retries and backoff, or false",
  ],
  keepAlive: isBoolean,
  transport: [(value) => typeof value === "function", "undici(dispatcher) of warmline/undici"],
  cache: oneOf("default", "force-cache", "no-cache", "no-store", "only-if-cached", "reload"),
  backend: isText,
  maxConnections: [(value) => Number.isInteger(value) && Number(value) > 0, "a whole number, 1 or more"],
  maxReplySize: isAnything,
  preconnect: isBoolean,
  exactlyOnceTtl: isNotNull,
  responseFormat: oneOf("resp2", "json"),
  enableAutoPipelining: isBoolean,
  readYourWrites: isBoolean,
  automaticDeserialization: isBoolean,
  agent: isAnything,
  enableTelemetry: isBoolean,
  latencyLogging: isBoolean,
  responseEncoding: oneOf(false, "base64"),
};

/** @throws ConfigError unless these are options of a client, each of its type. Undefined counts as left out. */
export function checkOptions(given: RedisOptions): void {
  check(given, OPTIONS);
  const { retry } = given;
  if (retry) check(retry, { retries: isNotNull, backoff: isNotNull }, "retry.");
}

/** @throws ConfigError unless these are options that `with()` may change, each of its type. */
export function checkCallOptions(given: CallOptions): void {
  assertConfig(
    typeof given === "object" && given !== null,
    "with() needs an object of options, such as { timeout: 500 }",
  );
  for (const name of Object.keys(given)) {
    const fixed = Object.hasOwn(OPTIONS, name) && !Object.hasOwn(CALL_OPTIONS, name);
    assertConfig(!fixed, `with() can't change ${name}: pass it to new Redis()`);
  }
  check(given, CALL_OPTIONS);
}

function check(given: object, checks: Record<string, Check>, path = ""): void {
  assertConfig(!Array.isArray(given), "options must be an object");
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name)) throw new ConfigError(unknownOption(name, Object.keys(checks)));
    const [holds, wanted] = checks[name]!;
    assertConfig(value === undefined || holds(value), `${path}${name} must be ${wanted}`);
  }
}
