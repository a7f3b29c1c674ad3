import { Redis } from "warmline";
import { mixedOn, type OpenClient } from "../client.js";

export const open: OpenClient = ({ url, token }) => {
  const endpoint = { url, token };
  const redis = new Redis(endpoint);
  const unbatched = new Redis({ ...endpoint, enableAutoPipelining: false });
  const binary = new Redis({ ...endpoint, codec: "bytes" });
  return {
    get: () => redis.get("greeting"),
    alone: () => unbatched.get("greeting"),
    recreated: () => new Redis(endpoint).get("greeting"),
    json: (size) => redis.get(`json:${size}`),
    numbers: (size) => redis.get(`numbers:${size}`),
    bytes: (size) => binary.get(`text:${size}`),
    mixed: (size) => mixedOn(redis.pipeline(), size).exec(),
  };
};
