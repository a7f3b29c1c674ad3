/**
 * Outcome of a command that failed.
 * - `unsent`: no byte of it was written; it has not been applied and will not be.
 * - `unknown`: it was written, or may have been; it may have been applied.
 * - `answered`: the Redis endpoint returned a complete, well-formed response.
 */
export type Outcome = "unsent" | "unknown" | "answered";

/** Details of an error beside its message. */
export interface ErrorDetails {
  /** Whether the command was applied. Default: `unsent`. */
  outcome?: Outcome;
  /** Redis's name of the command, in upper case. Never its arguments. */
  command?: string | undefined;
  /** The position of the command in the pipeline or transaction, from 0. */
  index?: number | undefined;
  /** The underlying error. */
  cause?: unknown;
}

/** The base of everything that warmline throws, except the reason of an aborted signal. */
export class WarmlineError extends Error {
  /** Whether the command was applied, as far as is known. */
  readonly outcome: Outcome;
  /** Redis's name of the command, in upper case, if the error concerns one. Never its arguments. */
  readonly command: string | undefined;
  /** The position of the command in the pipeline or transaction, from 0. */
  readonly index: number | undefined;

  constructor(message: string, { outcome = "unsent", command, index, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.outcome = outcome;
    this.command = command;
    this.index = index;
  }

  /**
   * Returns the error of a request with several commands as the error of one of them.
   * @internal
   */
  forCommand(command: string): WarmlineError {
    const Kind = this.constructor as typeof WarmlineError;
    const message = this.command ? this.message.replace(this.command, command) : this.message;
    return new Kind(message, { ...this, cause: this.cause, command });
  }

  // Two copies of the package may be loaded: ESM and CommonJS, or two versions. Each class has a brand on its prototype, so that
  // an error of one copy is an instance of the class of the other.
  /** Whether a value is an error of this class, also of another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that was asked about, not this one
    const { prototype } = this;
    const key = brand(prototype);
    // A subclass of the user has no brand.
    return Object.hasOwn(prototype, key)
      ? (value as Record<symbol, unknown> | null | undefined)?.[key] === true
      : Object.prototype.isPrototypeOf.call(prototype, value as object);
  }
}

function brand({ name }: { name: string }): symbol {
  return Symbol.for(`warmline.${name}`);
}

/** An error reply of Redis, such as `WRONGTYPE`. */
export class RedisError extends WarmlineError {
  /** The first word of the reply: `ERR`, `WRONGTYPE`, `NOSCRIPT`, `NOPERM`, ... */
  readonly code: string;

  constructor(reply: string, details: Omit<ErrorDetails, "outcome">) {
    // Redis repeats arguments, which may be user data: after an unknown command, and between quotes. The name of a command at the
    // end was added by this class.
    const shown = reply
      .replace(/,? with args beginning with:.*| \(command: \S+\)$/s, "")
      .replace(
        /^((NOGROUP|ERR (un\w+ (subcommand|category)|Error in ACL|User|Path|Engine)).*?)'.*'/is,
        "$1'...'",
      )
      // Lua repeats the part of a script that it could not read or run.
      .replace(
        /^(ERR .*?user_(script|function):.*? (near|variable|global|local|upvalue|field|method) )'.*'/s,
        "$1'...'",
      )
      .replace(/^(ERR (Un[\w ]+ shebang( option)?|Invalid metadata value given): ).*/s, "$1...")
      .replace(/^((\w+ )?(un\w+ (argument|option)\b|syntax error at offset \d+)).+/is, "$1 ...");
    super(details.command ? `${shown} (command: ${details.command})` : shown, {
      ...details,
      outcome: "answered",
    });
    this.code = /^[A-Z][A-Z0-9_]*(?![a-z])/.exec(reply)?.[0] ?? "ERR";
  }
}

/** The endpoint could not be reached, or did not run the command: nothing was applied. Also the error of a lost event stream. */
export class ConnectionError extends WarmlineError {
  /** `"circuit-open"` if the endpoint was not tried, because it did not respond to earlier calls. */
  readonly code: "circuit-open" | undefined;
  /** The time from which the endpoint is tried again, in ms since 1970, if the circuit is open. */
  readonly retryAt: number | undefined;

  constructor(message: string, details: ErrorDetails & { retryAt?: number | undefined } = {}) {
    super(message, details);
    this.retryAt = details.retryAt;
    this.code = details.retryAt === undefined ? undefined : "circuit-open";
  }
}

/**
 * The connection failed after the command was written and before its response arrived, so the command may have been
 * applied. warmline sends a write again only if the gateway recognises it: check the data, or use `writes: "exactly-once"`.
 */
export class UnknownOutcomeError extends WarmlineError {}

/** The call's time was up. `outcome` states whether the command had been sent. */
export class TimeoutError extends WarmlineError {}

/** The response is not that of a Redis HTTP endpoint: it is truncated, not JSON, or the page of another server. */
export class ProtocolError extends WarmlineError {}

/** An argument cannot be sent: `undefined`, `NaN`, a function, text that is not well-formed Unicode. */
export class ArgumentError extends WarmlineError {}

/** A value that was read does not fit the schema given with the read. */
export class SchemaError extends WarmlineError {
  /** The issues that the schema reported, as Standard Schema defines them. */
  readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[];

  constructor(message: string, issues: SchemaError["issues"], details: Omit<ErrorDetails, "outcome">) {
    super(message, { ...details, outcome: "answered" });
    this.issues = issues;
  }
}

/** The client's options or environment are wrong or missing. */
export class ConfigError extends WarmlineError {}

/** The classes whose constructors take a message and details, by their names. */
export const errors = {
  WarmlineError,
  RedisError,
  ConnectionError,
  UnknownOutcomeError,
  TimeoutError,
  ProtocolError,
  ArgumentError,
  ConfigError,
};

for (const [name, kind] of Object.entries({ ...errors, SchemaError })) {
  // Minification removes the names of classes, which Node prints.
  const value = { value: name, configurable: true, writable: true };
  Object.defineProperty(kind, "name", value);
  Object.defineProperties(kind.prototype, { name: value, [brand({ name })]: { value: true } });
}
