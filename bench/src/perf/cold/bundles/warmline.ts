import { Redis } from "warmline";
import type { OpenCold } from "../cold-client.js";

export const open: OpenCold = (endpoint, preconnect) => {
  const redis = new Redis({ ...endpoint, preconnect });
  return { command: () => redis.get("greeting"), ready: () => redis.ready() };
};
