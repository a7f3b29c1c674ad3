import { type BenchClient, ownHandler } from "../bench-client.js";

const upstash: BenchClient = {
  name: "upstash",
  label: "@upstash/redis",
  package: "@upstash/redis",
  note:
    "@upstash/redis leaves its connections to Node's fetch, which keeps one pool for the whole process: a recreated " +
    "client shares it, and its option keepAlive does not reach it. For keep-alive off the bench adds the header " +
    "Connection: close to its requests.",
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

/** The client's option does not reach the pool of Node's fetch; this header does. */
function withoutKeepAlive(): void {
  const { fetch } = globalThis;
  globalThis.fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...init?.headers, Connection: "close" } });
}
