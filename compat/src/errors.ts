import { ConfigError, ProtocolError, RedisError } from "warmline";

// Errors are warmline's, which have more detail. They also count as instances of the classes of @upstash/redis, so that
// `error instanceof errors.UpstashError` keeps its meaning.

const isInstance = Function.prototype[Symbol.hasInstance];

/** An error reply of Redis, or a response that is not that of a Redis HTTP endpoint. */
export class UpstashError extends Error {
  override name = "UpstashError";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      isInstance.call(UpstashError, value) || value instanceof RedisError || value instanceof ProtocolError
    );
  }
}

/** A response that is not that of a Redis HTTP endpoint, such as the page of another server. */
export class UpstashJSONParseError extends UpstashError {
  override name = "UpstashJSONParseError";

  constructor(body: string, options?: ErrorOptions) {
    super(`The response is not JSON: ${body.slice(0, 200)}`, options);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance.call(UpstashJSONParseError, value) || value instanceof ProtocolError;
  }
}

/** An invalid url. Every ConfigError counts as an instance. */
export class UrlError extends Error {
  override name = "UrlError";

  constructor(url: string) {
    super(`The url must begin with https:// or http://: "${url}"`);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance.call(UrlError, value) || value instanceof ConfigError;
  }
}
