import { Redis } from "@upstash/redis";
import { mixedOn, type OpenClient } from "../client.js";

export const open: OpenClient = (endpoint) => {
  const redis = new Redis(endpoint);
  const unbatched = new Redis({ ...endpoint, enableAutoPipelining: false });
  const unparsed = new Redis({ ...endpoint, automaticDeserialization: false });
  return {
    get: () => redis.get("greeting"),
    alone: () => unbatched.get("greeting"),
    recreated: () => new Redis(endpoint).get("greeting"),
    json: (size) => redis.get(`json:${size}`),
    numbers: (size) => redis.get(`numbers:${size}`),
    // It has no bytes: the nearest is the text, whole.
    bytes: (size) => unparsed.get(`text:${size}`),
    mixed: (size) => mixedOn(redis.pipeline(), size).exec(),
  };
};
