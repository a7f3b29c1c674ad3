import { Redis } from "@upstash/redis";

const keepAlive = process.env.BENCH_KEEPALIVE === "1";
const make = () => Redis.fromEnv({ keepAlive });
const kept = process.env.BENCH_CLIENT === "reused" ? make() : undefined;

// The client's option does not reach the pool of Node's fetch; this header does.
if (!keepAlive) {
  const { fetch } = globalThis;
  globalThis.fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...init?.headers, Connection: "close" } });
}

export const handler = async () => {
  const redis = kept ?? make();
  const greeting = await redis.get<string>("greeting");
  return { statusCode: 200, body: greeting ?? "hello, stranger" };
};
