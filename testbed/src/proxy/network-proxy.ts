import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Script } from "./behaviour.js";
import { type Destination, type Protocol, ProxiedConnection, resetSocket } from "./proxied-connection.js";

/** Options of {@link startNetworkProxy}. */
export interface NetworkProxyOptions {
  /** The server to which connections are relayed. */
  readonly to: Destination;
  /** Round-trip time in milliseconds, fractions allowed; half of it each way. Default 0. */
  readonly rttMs?: number;
  /** Certificate and key (PEM) with which the proxy terminates TLS. The round-trip time also delays the handshake. `to` gets plain TCP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The protocol whose messages behaviours see. `raw` takes every chunk as one message. Default `http`. */
  readonly protocol?: Protocol;
  /** Selects the behaviour of each connection; see {@link NetworkProxy.onConnection}. */
  readonly script?: Script;
  /**
   * The port on 127.0.0.1. Default: any free one. While the proxy refuses connections, the system may give that port to another program.
   * It does not do so with a port from `freePorts`.
   */
  readonly port?: number;
}

/** A running network proxy. */
export interface NetworkProxy {
  readonly host: string;
  readonly port: number;
  /** `http://` or, with TLS, `https://` and the proxy's address. */
  readonly url: string;
  /** Connections accepted so far. */
  readonly connectionsOpened: number;
  /** Number of bytes received from clients and from the server. With TLS, encrypted bytes are counted. */
  readonly bytes: { readonly fromClients: number; readonly fromServer: number };
  /** The connections that are open on the client's side, oldest first. */
  readonly connections: readonly ProxiedConnection[];
  /** With TLS, the relay of the encrypted bytes, for faults of the handshake. Without TLS, this proxy. */
  readonly transport: NetworkProxy;
  /** Sets the behaviour of every connection accepted from now on. The script's numbers still count from the proxy's start. */
  onConnection(script: Script): void;
  /** Blackholes every open connection. New connections work. */
  blackholeAll(): void;
  /** Stops listening: new connections are refused, open ones stay. */
  refuse(): Promise<void>;
  /** Listens again, on the same port. */
  accept(): Promise<void>;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a TCP relay on a free loopback port that simulates the network between a client and a server: it adds a
 * round-trip time, counts connections and applies scripted faults.
 *
 * The round-trip time delays every byte, end (FIN) and reset: half of it each way, in order. The kernel accepts a connection at once,
 * so the client's `connect` event is early. Instead the client's first bytes wait one round trip, the time of SYN and SYN-ACK. So a
 * request on a new connection takes two round trips, with TLS 1.3 three, as on a real path. Acknowledgements are not delayed. If nothing
 * listens at the destination, the client gets a reset. Not modelled: bandwidth, loss, slow start.
 *
 * On a blackholed connection (see `ProxiedConnection.blackhole`) the relay's kernel still acknowledges bytes, unlike a network that
 * drops the flow. A program would see the difference when the kernel stops its retransmissions, after many minutes.
 */
export async function startNetworkProxy(options: NetworkProxyOptions): Promise<NetworkProxy> {
  if (!options.tls) return startRelay(options);
  // Two relays, so that the handshake's bytes cross the delay and behaviours still see requests and responses.
  const inner = await startRelay({ ...options, rttMs: 0, port: 0 });
  const { rttMs, port } = options;
  const outer = await startRelay({ to: { port: inner.port }, rttMs, port, protocol: "raw" });
  return {
    host: outer.host,
    port: outer.port,
    url: `https://${outer.host}:${outer.port}`,
    transport: outer,
    get connectionsOpened() {
      return outer.connectionsOpened;
    },
    get bytes() {
      return outer.bytes;
    },
    get connections() {
      return inner.connections;
    },
    onConnection: inner.onConnection,
    blackholeAll: () => {
      inner.blackholeAll();
      outer.blackholeAll();
    },
    refuse: outer.refuse,
    accept: outer.accept,
    close: async () => {
      await outer.close();
      await inner.close();
    },
  };
}

async function startRelay(options: NetworkProxyOptions): Promise<NetworkProxy> {
  const open = new Set<ProxiedConnection>();
  /** Closed by the client, but perhaps still open at the server. */
  const closedBlackholes = new Set<ProxiedConnection>();
  const context = options.tls && createSecureContext(options.tls);
  let script: Script = options.script ?? (() => undefined);
  let opened = 0;
  const bytes = { fromClients: 0, fromServer: 0 };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (raw) => {
    const client: Socket = context ? new TLSSocket(raw, { isServer: true, secureContext: context }) : raw;
    // A reset during the handshake is an error of the socket below TLS.
    if (context) raw.on("error", () => client.destroy());
    const number = ++opened;
    const connection = new ProxiedConnection(client, {
      number,
      reset: () => {
        resetSocket(raw);
        if (client !== raw) client.destroy();
      },
      whenUp: (run) => {
        if (context) client.once("secure", run);
        else run();
      },
      to: options.to,
      rttMs: options.rttMs ?? 0,
      protocol: options.protocol ?? "http",
      behaviour: script(number),
      onBytes: (from, count) => {
        bytes[from] += count;
      },
      onClosed: () => {
        open.delete(connection);
        if (connection.blackholed) closedBlackholes.add(connection);
      },
    });
    open.add(connection);
  });
  const port = await listen(server, options.port ?? 0);
  const proxy: NetworkProxy = {
    host: "127.0.0.1",
    port,
    url: `${context ? "https" : "http"}://127.0.0.1:${port}`,
    get connectionsOpened() {
      return opened;
    },
    get bytes() {
      return { ...bytes };
    },
    get connections() {
      return [...open];
    },
    get transport() {
      return proxy;
    },
    onConnection: (next) => {
      script = next;
    },
    blackholeAll: () => {
      for (const connection of open) connection.blackhole();
    },
    refuse: () =>
      new Promise((resolve) => {
        server.close(() => {});
        setImmediate(resolve);
      }),
    accept: async () => {
      await listen(server, port);
    },
    close: async () => {
      server.close();
      for (const connection of [...open, ...closedBlackholes]) connection.destroy();
      await Promise.all([...open].map((connection) => connection.closed));
    },
  };
  return proxy;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
