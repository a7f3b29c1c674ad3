import type { ConnectedClient } from "../client/bench-client.js";
import { client, options, reused } from "../client/function-client.js";

/** The event of an invocation: one GET, or with `pairs` so many pairs of one GET on the kept client and one on a new client. */
export interface KeepaliveEvent {
  readonly pairs?: number;
}

const create = () => client.connect(options);
const kept = reused ? create() : undefined;

/** Returns the value; for pairs, the time with the new client divided by that with the kept one, of each pair. */
export const handler = async ({ pairs }: KeepaliveEvent) => ({
  statusCode: 200,
  body: pairs === undefined ? await get(kept) : await timePairs(kept!, pairs),
});

async function get(own: ConnectedClient | undefined): Promise<unknown> {
  const used = own ?? create();
  const value = await used.get("greeting");
  // Without keep-alive the client is not used again, so it is closed as its documentation requires.
  if (!own && !options.keepAlive) await used.close();
  return value;
}

async function timePairs(own: ConnectedClient, pairs: number): Promise<number[]> {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Each goes first in every other pair, so that the place has no effect.
    const first = await timeOf(pair % 2 === 0 ? own : undefined);
    const second = await timeOf(pair % 2 === 0 ? undefined : own);
    ratios.push(pair % 2 === 0 ? second / first : first / second);
  }
  return ratios;
}

async function timeOf(own: ConnectedClient | undefined): Promise<number> {
  const begunAt = performance.now();
  await get(own);
  return performance.now() - begunAt;
}
