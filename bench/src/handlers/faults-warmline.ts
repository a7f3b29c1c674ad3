import { Redis, type WriteMode } from "warmline";
import { createHandler } from "../faults/calls.js";

const writes = process.env.BENCH_WRITES as WriteMode | undefined;
const hasDeadline = process.env.BENCH_DEADLINE === "1";

export const handler = createHandler(({ url, token }) => {
  const redis = new Redis({ url, token, writes });
  return (context) => (hasDeadline ? redis.with({ deadline: context }) : redis);
});
