import { createHash, timingSafeEqual } from "node:crypto";
import type { RespCommand } from "./command-reader.js";
import { errorReply, OK, reply } from "./resp-reply.js";

/** The credentials for AUTH. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const NO_WATCH =
  "ERR WATCH is not available over HTTP, where connections to Redis are shared: use a Lua script that checks and writes";
const NO_DATABASE =
  "ERR only database 0 is available over HTTP: start the gateway with the database in its address, --redis redis://host/1";
const NOT_IN_DATABASE_0 = "ERR not run, since SELECT of another database failed before: SELECT 0 first";
const NO_TRACKING =
  "ERR CLIENT TRACKING is not available over HTTP, where connections to Redis are shared: connect to Redis itself for it";
const NO_PASSWORD =
  "ERR AUTH called without any password configured for the default user: over HTTP the connector's token authenticates, so leave the password out";
const NO_USER =
  "WRONGPASS over HTTP the connector's token authenticates: leave out user and password, and give a token of that user";
/** RESP3 is refused with the code by which clients fall back to RESP2. */
const NO_RESP3 =
  "NOPROTO RESP3 is not available over HTTP: use RESP2, by protocol: 2 in ioredis, RESP: 2 in node-redis";

/** Subcommands of CLIENT that concern every connection of the server, and so go to the gateway. */
const SERVER_WIDE = /^(KILL|LIST|PAUSE|UNBLOCK|UNPAUSE)$/;

/** The state of one client's connection. Redis does not keep it, since requests share connections to Redis. */
export class ConnectionState {
  authenticated: boolean;
  #name = "";
  #inDatabase0 = true;
  /** Whether WATCH was refused, so that the next transaction must not run. */
  watchRefused = false;

  constructor(private readonly credentials: Credentials | undefined) {
    this.authenticated = credentials === undefined;
  }

  /** Whether commands may run. */
  get isOpen(): boolean {
    return this.authenticated && this.#inDatabase0;
  }

  /** Returns the reply to a command that only concerns the connection, or that can't run. Undefined for other commands. */
  replyTo({ name, args }: RespCommand): Buffer | undefined {
    if (name === "AUTH") return this.#auth(args);
    if (name === "QUIT" || name === "HELLO" || name === "RESET") return undefined;
    if (!this.authenticated) return errorReply("NOAUTH Authentication required.");
    if (name === "SELECT") return this.#select(args);
    // INFO is about all databases, and clients send it before they are ready.
    if (!this.#inDatabase0 && name !== "INFO") return errorReply(NOT_IN_DATABASE_0);
    switch (name) {
      case "CLIENT":
        return this.#client(args);
      case "READONLY":
      case "READWRITE":
        return OK;
      case "WATCH":
        this.watchRefused = true;
        return errorReply(NO_WATCH);
      case "UNWATCH":
        this.watchRefused = false;
        return OK;
      default:
        return undefined;
    }
  }

  /**
   * Applies the arguments of HELLO.
   * @returns an error reply, or undefined if they are valid.
   */
  hello(args: readonly Buffer[]): Buffer | undefined {
    const [version, ...options] = args.map(String);
    if (version === "3") return errorReply(NO_RESP3);
    if (version !== undefined && version !== "2") return errorReply("NOPROTO unsupported protocol version");
    for (let at = 0; at < options.length; ) {
      const option = options[at]!.toUpperCase();
      if (option === "AUTH" && at + 2 < options.length) {
        const refused = this.#auth(args.slice(at + 2, at + 4));
        if (refused !== OK) return refused;
        at += 3;
      } else if (option === "SETNAME" && at + 1 < options.length) {
        this.#name = options[at + 1]!;
        at += 2;
      } else return errorReply(`ERR Syntax error in HELLO option '${options[at]}'`);
    }
    return this.authenticated
      ? undefined
      : errorReply("NOAUTH HELLO must be called with the client already authenticated");
  }

  /** Resets everything but the authentication. */
  reset(): void {
    this.#name = "";
    this.#inDatabase0 = true;
    this.watchRefused = false;
  }

  #auth(args: readonly Buffer[]): Buffer {
    if (args.length < 1 || args.length > 2) return wrongArity("auth");
    const [password, username] = args.map(String).reverse();
    if (!this.credentials) return errorReply(username === undefined ? NO_PASSWORD : NO_USER);
    const credentials = { username: username ?? "default", password: password! };
    // Compares in a time that does not depend on the credentials.
    if (!timingSafeEqual(digestCredentials(credentials), digestCredentials(this.credentials))) {
      return errorReply("WRONGPASS invalid username-password pair or user is disabled.");
    }
    this.authenticated = true;
    return OK;
  }

  #select(args: readonly Buffer[]): Buffer {
    if (args.length !== 1) return wrongArity("select");
    const database = String(args[0]);
    if (!/^\d+$/.test(database)) return errorReply("ERR invalid DB index");
    this.#inDatabase0 = Number(database) === 0;
    return this.#inDatabase0 ? OK : errorReply(NO_DATABASE);
  }

  #client(args: readonly Buffer[]): Buffer | undefined {
    const sub = String(args[0]).toUpperCase();
    switch (sub) {
      case "GETNAME":
        return reply(this.#name || null);
      case "SETNAME":
        if (args.length !== 2) return wrongArity("client|setname");
        if (/[^!-~]/.test(String(args[1]))) {
          return errorReply("ERR Client names cannot contain spaces, newlines or special characters.");
        }
        this.#name = String(args[1]);
        return OK;
      case "SETINFO":
        return OK;
      case "REPLY":
        if (String(args[1]).toUpperCase() === "ON") return OK;
        break;
      case "TRACKING":
      case "CACHING":
        return errorReply(NO_TRACKING);
    }
    if (SERVER_WIDE.test(sub)) return undefined;
    return errorReply(`ERR CLIENT ${sub} is not available over HTTP, where connections to Redis are shared`);
  }
}

/** Returns the error reply to a command with too few or too many arguments. */
export function wrongArity(name: string): Buffer {
  return errorReply(`ERR wrong number of arguments for '${name}' command`);
}

const digestCredentials = ({ username, password }: Credentials) =>
  createHash("sha256").update(`${username}\n${password}`).digest();
