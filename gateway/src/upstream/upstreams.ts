import type { Settings } from "../options.js";
import type { RemoteEngine } from "./redis-url.js";
import { Server } from "./server.js";
import type { RedisUser, Upstream, Upstreams } from "./upstream.js";

/** Makes the upstreams of an engine, by the gateway's settings. Nothing is connected yet. */
export function upstreamsOf(engine: RemoteEngine, settings: Settings): Upstreams {
  const made = new Map<string, Upstream>();
  let closed = false;
  return {
    of(user) {
      const key = keyOf(user);
      let upstream = made.get(key);
      if (!upstream) {
        upstream = new Server({
          connect: engine.connect,
          handshake: engine.handshake(user),
          timeout: settings.operationTimeout,
          connections: settings.connections,
          maxBlocking: settings.maxBlocking,
          maxTransactions: settings.maxTransactions,
          maxPending: settings.maxPending,
          maxReply: settings.maxReply,
        });
        made.set(key, upstream);
        if (closed) upstream.close();
      }
      return upstream;
    },
    close() {
      closed = true;
      for (const upstream of made.values()) upstream.close();
    },
  };
}

/** A user that changed its password is another one: connections stay signed in as they were made. */
function keyOf(user: RedisUser | null): string {
  return user ? JSON.stringify([user.username, user.password]) : "";
}
