/**
 * The client's requests over a dispatcher of undici: for proxies, certificates, interceptors and mocks.
 *
 * @module warmline/undici
 */
import { ConfigError } from "./errors.js";
import { checkCall } from "./options/check-call.js";
import type { TransportFactory } from "./options/options.js";
import { type ConnectionStats, createStats } from "./transport/transport.js";
import type { Dispatcher } from "./transport/undici/dispatcher.js";
import { UndiciTransport } from "./transport/undici/transport.js";

export type { TransportFactory } from "./options/options.js";
export type { Dispatcher } from "./transport/undici/dispatcher.js";

/** Options that only the client's own connections have. */
const OWN_OPTIONS = ["keepAlive", "maxConnections", "preconnect", "tls", "proxy", "circuit"] as const;

/**
 * Returns a transport whose requests go over a dispatcher of undici 7 or later: `new Redis({ url, token, transport:
 * undici(new ProxyAgent(proxy)) })`. `close()` of the client leaves the dispatcher open.
 * @throws ConfigError if the argument is not a dispatcher. `new Redis()` throws ConfigError for an option that only the client's own
 * connections have.
 */
export function undici(dispatcher: Dispatcher, ...surplus: []): TransportFactory {
  checkCall(ConfigError, "undici", 1, surplus);
  if (typeof dispatcher?.dispatch !== "function") {
    throw new ConfigError("undici() needs a dispatcher of undici, such as new ProxyAgent(url)");
  }
  const statsOf = new Map<string, ConnectionStats>();
  return (origin, options, maxReplySize) => {
    for (const name of OWN_OPTIONS) {
      if (options[name] !== undefined) {
        throw new ConfigError(`${name} has no effect with undici(): remove it or set it on the dispatcher`);
      }
    }
    const stats = statsOf.get(origin) ?? createStats();
    statsOf.set(origin, stats);
    return new UndiciTransport(dispatcher, origin, maxReplySize, stats);
  };
}
