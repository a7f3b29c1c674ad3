import { Redis } from "@upstash/redis";
import { handlerOf } from "../faults/calls.js";

export const handler = handlerOf(
  ({ url, token }) => new Redis({ url, token }),
  (redis) => redis,
);
