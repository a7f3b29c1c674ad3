import { type BenchClient, ownHandler } from "../bench-client.js";

const upstash: BenchClient = {
  name: "upstash",
  label: "@upstash/redis",
  package: "@upstash/redis",
  note:
    "@upstash/redis uses Node's fetch, which has one connection pool per process: a recreated client shares it, and " +
    "the option keepAlive has no effect on it. With keep-alive off the bench adds the header Connection: close to " +
    "its requests.",
  order: 2,
  standard: true,
  protocol: "http",
  batches: true,
  load: async () => {
    const { Redis } = await import("@upstash/redis");
    let closing = false;
    return ({ url, token, keepAlive }) => {
      if (!keepAlive && !closing) {
        closing = true;
        withoutKeepAlive();
      }
      const redis = new Redis({ url, token, keepAlive });
      return {
        get: (key) => redis.get(key),
        set: (key, value) => redis.set(key, value),
        incr: (key) => redis.incr(key),
        ping: () => redis.ping(),
        pipeline: (keys) => {
          const batch = redis.pipeline();
          for (const key of keys) batch.get(key);
          return batch.exec<unknown[]>();
        },
        close: async () => {},
      };
    };
  },
  faults: [
    {
      name: "upstash",
      label: "@upstash/redis",
      function: { handler: ownHandler("faults-upstash"), env: {} },
    },
  ],
};

export default upstash;

/** Adds `Connection: close` to all requests: the client's option has no effect on fetch's pool. */
function withoutKeepAlive(): void {
  const { fetch } = globalThis;
  globalThis.fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...init?.headers, Connection: "close" } });
}
