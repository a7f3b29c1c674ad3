import { connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Engine } from "../engine/engine.js";
import { type Command, command } from "./command.js";

/** A Redis somewhere else, with what each connection to it must say first. */
export interface RemoteEngine extends Engine {
  readonly handshake: readonly Command[];
}

const FORMS = "redis://[user:password@]host[:port][/db], rediss:// for TLS, or unix:///path/to/socket[?db=N]";

/**
 * Makes an engine of a Redis at a URL. Nothing is connected yet.
 * @throws {TypeError} when the URL is not one of the forms understood; the message does not repeat it
 */
export function redisAt(url: string): RemoteEngine {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new TypeError(`redis: not a URL; expected ${FORMS}`);
  }
  const { protocol } = parsed;
  if (protocol !== "redis:" && protocol !== "rediss:" && protocol !== "unix:") {
    throw new TypeError(`redis: unknown scheme "${protocol}//"; expected ${FORMS}`);
  }
  const isSocket = protocol === "unix:";
  const host = parsed.hostname.replace(/^\[|\]$/g, "");
  if (!isSocket && host === "") throw new TypeError(`redis: the URL names no host; expected ${FORMS}`);
  const port = parsed.port === "" ? 6379 : Number(parsed.port);
  const db = (isSocket ? parsed.searchParams.get("db") : parsed.pathname.slice(1)) || "0";
  if (!/^\d{1,9}$/.test(db)) throw new TypeError("redis: the database in the URL is not a number");

  const handshake: Command[] = [];
  const user = decoded(parsed.username);
  const password = decoded(parsed.password);
  if (user && password) handshake.push(command("AUTH", user, password));
  else if (password) handshake.push(command("AUTH", password));
  else if (user) throw new TypeError("redis: the URL has a user but no password");
  if (Number(db) > 0) handshake.push(command("SELECT", db));

  const open = new Set<Duplex>();
  const connect = () => {
    if (isSocket) return connectTcp({ path: decoded(parsed.pathname) });
    const common = { host, port, keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true };
    // SNI takes names only.
    const servername = /^[\d.]+$|:/.test(host) ? undefined : host;
    return protocol === "rediss:" ? connectTls({ ...common, servername }) : connectTcp(common);
  };
  return {
    description: `redis at ${isSocket ? parsed.pathname : `${parsed.hostname}:${port}`}`,
    handshake,
    connect() {
      const socket = connect();
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      return socket;
    },
    async close() {
      for (const socket of open) socket.destroy();
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("redis: the URL has a % that starts no escape");
  }
}
