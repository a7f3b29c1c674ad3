import { connect as connectTcp, type OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Engine } from "../engine/engine.js";
import { type Command, command } from "../resp/command.js";
import { type Address, nameOf } from "./cluster/topology.js";
import type { Credentials } from "./credentials/credentials.js";
import { authCommand } from "./credentials/login.js";
import { parseRedisUrl } from "./redis-address.js";
import { RedisTls } from "./redis-tls.js";
import type { RedisUser } from "./upstream.js";

/** A Redis, with the commands that sign a connection in: as the given user, or as the one of its URL. */
export interface RemoteEngine extends Engine {
  handshake(user: RedisUser | null): readonly Command[];
  /** Credentials with which the user of its URL signs in before the handshake. Null if the handshake contains the login. */
  readonly credentials: Credentials | null;
  /** Whether it runs by itself, rather than being started for the gateway. */
  readonly isRemote: boolean;
  /**
   * - `server`: one server
   * - `unknown`: one server, which may turn out to be a node of a cluster
   * - `cluster`: the nodes of a cluster
   * - `sentinel`: Sentinels, which report where the primary of a group is
   */
  readonly kind: "server" | "unknown" | "cluster" | "sentinel";
  readonly addresses: readonly Address[];
  /** The Sentinels' name of the group. */
  readonly group: string;
  /** The commands that each connection to a Sentinel must send first. */
  readonly sentinelHandshake: readonly Command[];
  /** Opens a connection to one of several servers that belong together. */
  connectTo(address: Address, onRead?: OnReadOpts): Duplex;
}

/** Options of a connection to Redis that its URL does not hold. */
export interface RemoteOptions {
  /** The certificates of TLS connections. They are closed with the engine. Default: the system's authorities, and no client certificate. */
  readonly tls?: RedisTls | undefined;
  /** Credentials of the URL's user. Default: the password of the URL. They are closed with the engine. */
  readonly credentials?: Credentials | null | undefined;
}

/**
 * Returns an engine for the Redis at a URL. Nothing is connected yet.
 * @throws {TypeError} if the URL has none of the known forms. The message does not repeat the URL.
 */
export function redisAt(url: string, options: RemoteOptions = {}): RemoteEngine {
  const address = parseRedisUrl(url);
  const { credentials = null, tls = new RedisTls({}, () => {}) } = options;
  const { path, addresses, isTls, isSentinel, isCluster, group, db } = address;
  tls.watch();
  const ownLogin = signIn(address.username, address.password);
  const select = db > 0 ? [command("SELECT", String(db))] : [];

  const open = new Set<Duplex>();
  const connectTo = (to: Address, onread?: OnReadOpts): Duplex => {
    const common = { ...to, keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true };
    if (!isTls) return kept(connectTcp({ ...common, onread }));
    return kept(connectTls({ ...common, ...tls.optionsFor(to, addresses) }));
  };
  const kept = <T extends Duplex>(socket: T): T => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    return socket;
  };
  const where = path ?? addresses.map(nameOf);
  const kind = isSentinel ? `redis ${group}, by sentinel at` : isCluster ? "redis cluster at" : "redis at";
  return {
    description: `${kind} ${where}`,
    isRemote: true,
    kind: path !== undefined ? "server" : isSentinel ? "sentinel" : isCluster ? "cluster" : "unknown",
    addresses,
    group,
    sentinelHandshake: signIn(address.sentinelUsername, address.sentinelPassword),
    handshake: (user) => [...(user ? [command("AUTH", user.username, user.password)] : ownLogin), ...select],
    credentials,
    connectTo,
    connect: (onread) =>
      path === undefined ? connectTo(addresses[0]!, onread) : kept(connectTcp({ path, onread })),
    async close() {
      credentials?.close();
      tls.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Returns an engine of the gateway's own as a {@link RemoteEngine}. Its connections need no login. */
export function ownEngine(engine: Engine): RemoteEngine {
  return {
    description: engine.description,
    isRemote: false,
    data: engine.data,
    get problem() {
      return engine.problem ?? null;
    },
    kind: "server",
    addresses: [],
    group: "",
    sentinelHandshake: [],
    credentials: null,
    handshake: (user) => (user ? [command("AUTH", user.username, user.password)] : []),
    connectTo: (_, onRead) => engine.connect(onRead),
    connect: (onRead) => engine.connect(onRead),
    ...(engine.explain && { explain: engine.explain.bind(engine) }),
    close: () => engine.close(),
  };
}

function signIn(username: string, password: string): Command[] {
  return password ? [authCommand(username, password)] : [];
}
