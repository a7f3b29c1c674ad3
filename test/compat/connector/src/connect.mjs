// The clients that the programs of this folder use: over TCP if REDIS_PORT is set, else through warmline.
import { Redis } from "ioredis";
import { createClient } from "redis";
import { warmlineConnector } from "warmline/ioredis";
import { startLoopback } from "warmline/node-redis";

const port = process.env.REDIS_PORT;

/** Options of ioredis, for libraries that make their own client. */
export const options = port ? { port: Number(port), host: "127.0.0.1" } : { Connector: warmlineConnector() };

/** A client of ioredis. */
export const ioredis = (more = {}) => new Redis({ ...options, ...more });

/** A connected client of node-redis. */
export async function nodeRedis() {
  const client = createClient(
    port ? { url: `redis://127.0.0.1:${port}`, RESP: 2 } : (await startLoopback()).options,
  );
  return client.connect();
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Prints what the program found and ends it. */
export function done(found) {
  console.log(JSON.stringify(found));
  process.exit(0);
}
