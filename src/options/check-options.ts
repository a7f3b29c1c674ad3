import { ConfigError } from "../errors.js";
import { isSignal } from "../util/abort.js";
import { assertConfig } from "./assert-config.js";
import { unknownOption } from "./option-names.js";
import type {
  CallOptions,
  CircuitOptions,
  RedisOptions,
  RetryOptions,
  ScopeOptions,
  TracingOptions,
} from "./options.js";

/** `members`: the checks of an object's members. */
type Check = readonly [holds: (value: any) => boolean, expected: string, members?: Record<string, Check>];

const ofType = (type: string, expected: string): Check => [(value) => typeof value === type, expected];
const oneOf = (...values: unknown[]): Check => [
  (value) => values.includes(value),
  `one of ${values.join(", ")}`,
];
const wholeNumber = (min: number): Check => [
  (value) => Number.isInteger(value) && value >= min,
  `a whole number, ${min} or more`,
];
const isBoolean = ofType("boolean", "true or false");
const isMilliseconds: Check = [(value) => typeof value === "number" && value > 0, "a number of ms above 0"];
// Empty text counts as missing.
const isTextIfAny: Check = [(value) => !value || typeof value === "string", "text"];
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const objectOrFalse = <T>(members: Record<keyof T & string, Check>): Check => [
  (value) => value === false || isObject(value),
  `an object with ${Object.keys(members).join(" and ")}, or false`,
  members,
];
const isAnything: Check = [() => true, ""];

/** Options of `with()` and their checks. */
const CALL_OPTIONS: Record<keyof CallOptions | keyof ScopeOptions, Check> = {
  signal: [
    (value) => value !== null && (!value || typeof value === "function" || isSignal(value)),
    "an AbortSignal",
  ],
  timeout: isMilliseconds,
  deadline: [(value) => value !== null, "a Lambda context, or have remaining(), in ms"],
  retry: objectOrFalse<RetryOptions>({
    retries: wholeNumber(0),
    backoff: ofType("function", "a function that returns ms"),
  }),
  writes: oneOf("at-most-once", "exactly-once", "at-least-once"),
  // Checked by resolveCodec.
  codec: isAnything,
  scope: [
    (value) =>
      value?.next || (typeof value === "string" && /^.{1,256}$/s.test(value) && value.isWellFormed()),
    "text of 1 to 256 characters",
  ],
  remember: [(value) => value > 0 && Number.isFinite(value), "a number of seconds above 0"],
  strict: isBoolean,
  near: oneOf(true, false, "verify"),
};

const OPTIONS: Record<keyof RedisOptions | keyof ScopeOptions, Check> = {
  url: isTextIfAny,
  token: isTextIfAny,
  prefix: [
    (value) => typeof value === "string" && /^[^*]+$/.test(value) && value.isWellFormed(),
    "non-empty, well-formed text without *",
  ],
  ...CALL_OPTIONS,
  scope: [() => false, "passed to redis.with()"],
  near: [(value) => value?.stats, "near() of warmline/near"],
  keepAlive: isBoolean,
  tls: [(value) => value !== null, "left out rather than null"],
  proxy: [(value) => value === false || typeof value === "string", "a URL, or false"],
  transport: [(value) => typeof value === "function", "undici() of warmline/undici"],
  cache: oneOf("default", "force-cache", "no-cache", "no-store", "only-if-cached", "reload"),
  backend: ofType("string", "text"),
  maxConnections: wholeNumber(1),
  maxReplySize: wholeNumber(1),
  circuit: objectOrFalse<CircuitOptions>({ resetTimeout: isMilliseconds, probeTimeout: isMilliseconds }),
  tracing: [
    isObject,
    "an object with args and hook",
    { args: isBoolean, hook: ofType("function", "a function") } satisfies Record<keyof TracingOptions, Check>,
  ],
  debug: isBoolean,
  preconnect: isBoolean,
  exactlyOnceTtl: isMilliseconds,
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
export function checkOptions(options: RedisOptions): void {
  check(options, OPTIONS);
}

/** @throws ConfigError unless these are options that `with()` may change, each of its type. */
export function checkCallOptions(options: CallOptions & ScopeOptions): void {
  assertConfig(isObject(options), "with() needs an object of options");
  const fixed = Object.keys(options).find((name) => Object.hasOwn(OPTIONS, name) && !(name in CALL_OPTIONS));
  assertConfig(fixed === undefined, `with() can't change ${fixed}: pass it to new Redis()`);
  check(options, CALL_OPTIONS);
}

function check(options: object, checks: Record<string, Check>, path = ""): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) throw new ConfigError(unknownOption(name, Object.keys(checks)));
    const [holds, expected, members] = checks[name]!;
    assertConfig(value === undefined || holds(value), `${path}${name} must be ${expected}`);
    if (members && value) check(value, members, `${name}.`);
  }
}
