import { pathToFileURL } from "node:url";
import type { BenchClient, ConnectOptions, Endpoint } from "./bench-client.js";

const { BENCH_CLIENT, BENCH_ENDPOINT, BENCH_KEEPALIVE, BENCH_LIFETIME, BENCH_TIMEOUT_MS } = process.env;

/** Whether the function's client lives outside its handler. */
export const reused = BENCH_LIFETIME === "reused";

export const options: ConnectOptions = {
  ...(JSON.parse(BENCH_ENDPOINT!) as Endpoint),
  keepAlive: BENCH_KEEPALIVE === "1",
  ...(BENCH_TIMEOUT_MS !== undefined && { timeoutMs: Number(BENCH_TIMEOUT_MS) }),
};

/** The function's client; its code is loaded now, in the init phase. */
export const client: BenchClient = (await import(pathToFileURL(BENCH_CLIENT!).href)).default;
