// Creates the clients for the programs in this folder: over TCP if REDIS_PORT is set, else through warmline.
import { Redis } from "ioredis";
import { createClient } from "redis";
import { warmlineConnector } from "warmline/ioredis";
import { startLoopback } from "warmline/node-redis";

const port = process.env.REDIS_PORT;

/** Options for ioredis, for libraries that create their own client. */
export const options = port ? { port: Number(port), host: "127.0.0.1" } : { Connector: warmlineConnector() };

/** Creates a client of ioredis. */
export const ioredis = (overrides = {}) => new Redis({ ...options, ...overrides });

/** Creates and connects a client of node-redis. */
export async function nodeRedis() {
  const client = createClient(
    port ? { url: `redis://127.0.0.1:${port}`, RESP: 2 } : (await startLoopback()).options,
  );
  return client.connect();
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Prints the program's results as JSON and ends the program. */
export function done(results) {
  console.log(JSON.stringify(results));
  process.exit(0);
}
