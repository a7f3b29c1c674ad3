import { Redis } from "warmline";
import { createHandler } from "../faults/calls.js";

const writes = process.env.BENCH_WRITES as "at-most-once" | "exactly-once";

export const handler = createHandler(
  ({ url, token }) => new Redis({ url, token, writes }),
  (redis, context) => redis.with({ deadline: context }),
);
