import { Redis } from "@upstash/redis";
import type { OpenCold } from "../cold-client.js";

export const open: OpenCold = (endpoint) => {
  const redis = new Redis(endpoint);
  // It has nothing to wait for.
  return { command: () => redis.get("greeting"), ready: async () => {} };
};
