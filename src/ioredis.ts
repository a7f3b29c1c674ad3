/**
 * Unmodified ioredis over HTTP: `new IORedis({ Connector: warmlineConnector() })`.
 *
 * @module warmline/ioredis
 */
import { type ConnectorOptions, createContext } from "./connector/options.js";
import { RespStream } from "./connector/resp-stream.js";
import { ConfigError } from "./errors.js";

export type { ConnectorOptions } from "./connector/options.js";

/** The type of ioredis's option `Connector`. ioredis's own class has private members, so no other class is assignable to it. */
export type IORedisConnector = new (options: any) => any;

/** Options of ioredis that have no effect over HTTP, and what to do instead. */
const REFUSED: Record<string, readonly [isRefused: (value: unknown) => boolean, instead: string]> = {
  db: [(value) => Number(value) > 0, "start the gateway with the database, as in --redis redis://host/1"],
  host: [
    (value) => !/^(localhost|127\.0\.0\.1|::1)$/.test(String(value)),
    "pass the gateway's url to warmlineConnector()",
  ],
  port: [(value) => Number(value) !== 6379, "pass the gateway's url to warmlineConnector()"],
  path: [Boolean, "pass the gateway's url to warmlineConnector()"],
  tls: [Boolean, "for TLS, pass a url that begins with https:// to warmlineConnector()"],
  sentinels: [Boolean, "start the gateway with them, as in --redis redis+sentinel://host/name"],
  username: [Boolean, "warmlineConnector() authenticates by its token"],
};

/**
 * Returns a connector class for ioredis whose connections send commands to warmline-gateway over HTTP.
 *
 * A command whose response was lost rejects with an error that begins with `UNKNOWNOUTCOME`, and is not sent again. A command
 * that was not sent rejects with `UNSENT`.
 * @param options if `url` and `token` are missing, both are read from the environment.
 * @throws ConfigError if an option is unknown or malformed. A missing url or token is an error of each connection instead.
 */
export function warmlineConnector(options: ConnectorOptions = {}, ...surplus: []): IORedisConnector {
  const context = createContext("warmlineConnector", options, surplus);
  return class WarmlineConnector {
    /** Read by ioredis, which emits it if the stream is destroyed before it has connected. Never set here. */
    firstError: Error | undefined;
    #stream: RespStream | undefined;
    /** Time in ms that commands have after `disconnect()` to complete. */
    readonly #disconnectTimeout: number;

    /** @throws ConfigError if an option of ioredis would have no effect. */
    constructor(ioredisOptions: Record<string, unknown>) {
      for (const [name, [isRefused, instead]] of Object.entries(REFUSED)) {
        const value = ioredisOptions[name];
        if (value === undefined || value === null || !isRefused(value)) continue;
        throw new ConfigError(`${name} of ioredis has no effect over HTTP: leave it out; ${instead}`);
      }
      this.#disconnectTimeout = Number(ioredisOptions.disconnectTimeout ?? 2_000);
    }

    /** Whether the server has the required role, which ioredis checks for Sentinels. */
    check(): boolean {
      return true;
    }

    async connect(): Promise<RespStream> {
      if (context instanceof ConfigError) throw context;
      this.#stream = new RespStream(context);
      return this.#stream;
    }

    disconnect(): void {
      const stream = this.#stream;
      if (!stream || stream.writableEnded) return;
      const timer = setTimeout(() => stream.destroy(), this.#disconnectTimeout);
      stream.once("close", () => clearTimeout(timer));
      stream.end();
    }
  };
}
