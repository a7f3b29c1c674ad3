import { pathToFileURL } from "node:url";
import type { Connect, ConnectOptions, Endpoint, Peer } from "./peer.js";

const { BENCH_PEER, BENCH_ENDPOINT, BENCH_KEEPALIVE, BENCH_CLIENT } = process.env;

/** Whether the function's client lives outside its handler. */
export const reused = BENCH_CLIENT === "reused";

/** What the function's client is made from. */
export const options: ConnectOptions = {
  ...(JSON.parse(BENCH_ENDPOINT!) as Endpoint),
  keepAlive: BENCH_KEEPALIVE === "1",
};

/** Makes the function's client; its code is loaded now, in the init phase. */
export const connect: Connect = await loaded();

async function loaded(): Promise<Connect> {
  const peer: Peer = (await import(pathToFileURL(BENCH_PEER!).href)).default;
  return peer.load();
}
