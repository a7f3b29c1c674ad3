import { Redis } from "warmline/fetch";
import type { OpenCold } from "../cold-client.js";

export const open: OpenCold = (endpoint) => {
  const redis = new Redis(endpoint);
  return { command: () => redis.get("greeting"), ready: () => redis.ready() };
};
