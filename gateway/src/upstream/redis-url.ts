import { connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Engine } from "../engine/engine.js";
import { type Command, command } from "./command.js";
import type { RedisUser } from "./upstream.js";

/** A Redis that can be signed in to: what each connection must say first, as the user given or as the one set up. */
export interface RemoteEngine extends Engine {
  handshake(user: RedisUser | null): readonly Command[];
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

  const username = decoded(parsed.username);
  const password = decoded(parsed.password);
  if (username && !password) throw new TypeError("redis: the URL has a user but no password");
  const own = password ? [command("AUTH", ...(username ? [username] : []), password)] : [];
  const select = Number(db) > 0 ? [command("SELECT", db)] : [];

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
    handshake: (user) => [...(user ? [command("AUTH", user.username, user.password)] : own), ...select],
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

/** An engine's members bound to it, whether it is a class or a plain object; it asks nobody to sign in. */
export function ownEngine(engine: Engine): RemoteEngine {
  return {
    description: engine.description,
    handshake: (user) => (user ? [command("AUTH", user.username, user.password)] : []),
    connect: () => engine.connect(),
    close: () => engine.close(),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("redis: the URL has a % that starts no escape");
  }
}
