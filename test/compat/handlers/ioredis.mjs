// Runs one command of an event on ioredis, through warmline/ioredis or over TCP.
import { createRequire } from "node:module";
import { warmlineConnector } from "warmline/ioredis";

const IORedis = createRequire(new URL("../../../bench/package.json", import.meta.url))("ioredis");
const { WARMLINE_URL, TCP_PORT } = process.env;
const options = { enableReadyCheck: false, disableClientInfo: true };
const redis = WARMLINE_URL
  ? new IORedis({ ...options, Connector: warmlineConnector() })
  : new IORedis({ ...options, port: Number(TCP_PORT), host: "127.0.0.1" });
redis.on("error", () => {});

export async function handler([name, ...args]) {
  const begun = Date.now();
  try {
    return { value: await redis.call(name, ...args), ms: Date.now() - begun };
  } catch ({ message }) {
    return { error: message, ms: Date.now() - begun };
  }
}
