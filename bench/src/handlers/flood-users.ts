// A process that holds the active connections. They send requests all the time. Latencies are recorded on request, so that
// all phases have the same load and the same process.
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { BenchClient } from "../client/bench-client.js";
import { Caller, type GatewayAddress } from "../flood/caller.js";
import { randomFrom } from "../util/random.js";
import { serveParent } from "../util/serve-parent.js";

/** A message to the process of users. */
export type UsersMessage =
  | {
      readonly start: GatewayAddress & {
        readonly users: number;
        readonly everyMs: number;
        readonly seed: number;
        /** The file of a client that sends the requests. Absent: bare sockets. */
        readonly client?: string;
      };
    }
  | { readonly recordMs: number }
  | { readonly end: true };

/** Latencies recorded in one phase of one round, in ms. */
export interface RecordedPhase {
  readonly latencies: readonly number[];
  /** Users that were refused, closed or left without a result so far. */
  readonly lost: number;
}

/** An active user. */
interface User {
  /** Sends one request. Returns the latency in ms; null without a result. */
  call(): Promise<number | null>;
  close(): unknown;
}

/** Time in ms for the calls in flight at the end of a phase to return. */
const RETURN_MS = 5_000;

const users: User[] = [];
/** The calls that have not returned. */
const inFlight = new Set<Promise<unknown>>();
let recording: number[] | undefined;
let lost = 0;
let over = false;

function userOf({ connect }: BenchClient, { port, token }: GatewayAddress): User {
  const connected = connect({ url: `http://127.0.0.1:${port}`, token, keepAlive: true });
  const call = async () => {
    const sentAt = performance.now();
    try {
      await connected.get("greeting");
      return performance.now() - sentAt;
    } catch {
      return null;
    }
  };
  return { call, close: () => connected.close() };
}

/** Sends requests at random times that do not depend on the responses, so that a stall is not hidden. */
async function use(caller: User, everyMs: number, random: () => number): Promise<void> {
  let due = performance.now();
  while (!over) {
    const call = caller.call();
    inFlight.add(call);
    const took = await call;
    inFlight.delete(call);
    if (over) return;
    if (took === null) {
      lost++;
      return;
    }
    const now = performance.now();
    recording?.push(now - due);
    // At random, so that they do not fall into step and wait for each other.
    due += everyMs * (0.5 + random());
    if (due <= now) continue;
    // A timer of this process that fires late is not the gateway's delay.
    await pause(due - now);
    due = performance.now();
  }
}

async function record(forMs: number): Promise<RecordedPhase> {
  const latencies: number[] = [];
  recording = latencies;
  await pause(forMs);
  recording = undefined;
  const called = [...inFlight];
  await Promise.race([Promise.all(called), pause(RETURN_MS)]);
  // A call that never returns is neither a failure nor a latency.
  const outstanding = called.filter((call) => inFlight.has(call)).length;
  return { latencies, lost: lost + outstanding };
}

serveParent(async (message: UsersMessage): Promise<object> => {
  if ("start" in message) {
    const { users: count, everyMs, seed, client, ...address } = message.start;
    const own: BenchClient | undefined = client && (await import(pathToFileURL(client).href)).default;
    for (let i = 0; i < count; i++) {
      const caller = own ? userOf(own, address) : new Caller(address);
      users.push(caller);
      void use(caller, everyMs, randomFrom(seed + i));
      await pause(everyMs / count);
    }
    return { users: users.length };
  }
  if ("recordMs" in message) return record(message.recordMs);
  over = true;
  for (const user of users) user.close();
  return { lost };
});
