// A process that opens many connections, evenly over a time, and keeps them until a message ends them.
import { setTimeout as pause } from "node:timers/promises";
import { Caller, type GatewayAddress } from "../flood/caller.js";
import { serveParent } from "../util/serve-parent.js";

/** A message to the crowd process. */
export type CrowdMessage =
  | {
      readonly come: GatewayAddress & {
        readonly connections: number;
        readonly overMs: number;
        /** Each sends a request so often, in ms; null: one, and then it is idle. */
        readonly everyMs: number | null;
      };
    }
  | { readonly callOnce: true }
  | { readonly go: true };

/** How it went of the connections that arrived. */
export interface Crowd {
  readonly opened: number;
  /** Connections that received a result. */
  readonly served: number;
  /** Connections refused with a 503 that has `Retry-After` and says that nothing was run. */
  readonly refused: number;
  /** Connections that were served and later closed by the gateway, although they were in use. */
  readonly lost: number;
  /** Connections that received neither a result nor a refusal. */
  readonly cut: number;
}

let crowd: Caller[] = [];
let over = false;

async function call(caller: Caller, everyMs: number | null): Promise<void> {
  while (!over) {
    const took = await caller.call();
    if (took === null || everyMs === null) return;
    await pause(everyMs);
  }
}

async function come({ connections, overMs, everyMs, ...address }: ComeOptions): Promise<void> {
  over = false;
  crowd = [];
  const begunAt = performance.now();
  for (let i = 0; i < connections; i++) {
    const wait = begunAt + (i * overMs) / connections - performance.now();
    if (wait >= 1) await pause(wait);
    const caller = new Caller(address);
    crowd.push(caller);
    void call(caller, everyMs);
  }
  await pause(Math.max(0, begunAt + overMs - performance.now()));
}

type ComeOptions = Extract<CrowdMessage, { come: unknown }>["come"];

serveParent(async (message: CrowdMessage): Promise<object> => {
  if ("come" in message) {
    await come(message.come);
    return { opened: crowd.length };
  }
  if ("callOnce" in message) {
    const latencies = await Promise.all(crowd.map((caller) => caller.call()));
    return { answered: latencies.filter((took) => took !== null).length };
  }
  const count = (of: (caller: Caller) => boolean) => crowd.filter(of).length;
  const result: Crowd = {
    opened: crowd.length,
    served: count(({ responses }) => responses > 0),
    refused: count(({ refused, refusedWithRetryAfter }) => refused && refusedWithRetryAfter),
    lost: count(({ responses, closed }) => responses > 0 && closed),
    cut: count(({ responses, refused }) => responses === 0 && !refused),
  };
  over = true;
  for (const caller of crowd) caller.close();
  return result;
});
