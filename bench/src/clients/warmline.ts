import { fileURLToPath } from "node:url";
import { type BenchClient, ownHandler } from "../bench-client.js";

/** The measured handler is the example's. Its counterpart differs only in where it creates the client. */
const EXAMPLE = fileURLToPath(new URL("../../../examples/lambda/handler.mjs", import.meta.url));

const warmline: BenchClient = {
  name: "warmline",
  label: "warmline",
  package: "warmline",
  order: 1,
  standard: true,
  protocol: "http",
  batches: true,
  load: async () => {
    const { Redis } = await import("warmline");
    return ({ url, token, keepAlive }) => {
      const redis = new Redis({ url, token, keepAlive });
      return {
        get: (key) => redis.get(key),
        set: (key, value) => redis.set(key, value),
        incr: (key) => redis.incr(key),
        ping: () => redis.ping(),
        pipeline: (keys) => {
          const batch = redis.pipeline();
          for (const key of keys) batch.get(key);
          return batch.exec();
        },
        close: async () => redis.close(),
      };
    };
  },
  keepalive: ({ keepAlive, reused }, { url, token }) => ({
    handler: reused ? EXAMPLE : ownHandler("warmline"),
    env: { WARMLINE_URL: url, WARMLINE_TOKEN: token, ...(keepAlive ? {} : { WARMLINE_KEEPALIVE: "0" }) },
  }),
  faults: [
    {
      name: "warmline",
      label: "warmline",
      function: { handler: ownHandler("faults-warmline"), env: { BENCH_WRITES: "at-most-once" } },
    },
    {
      name: "warmline-once",
      label: "warmline, exactly-once",
      function: { handler: ownHandler("faults-warmline"), env: { BENCH_WRITES: "exactly-once" } },
    },
  ],
};

export default warmline;
