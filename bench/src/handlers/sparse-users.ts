import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../random.js";
import { RawConnection, type RawTarget } from "../raw-connection.js";

/** The event of an invocation: users of a server, each as a process or an instance with a connection of its own. */
export interface SparseUsersEvent {
  readonly target: RawTarget;
  readonly users: number;
  /** Whether a user keeps its connection for later requests. */
  readonly keep: boolean;
  /** The mean pause of a user between two requests in ms; 0: one request, after which its connection is idle. */
  readonly gapMs: number;
  readonly seconds: number;
  readonly seed: number;
}

/** The connections that are kept; they stay open after the invocation. */
const open: (RawConnection | undefined)[] = [];

/** Runs requests at random times. Returns how many were sent. */
export const handler = async (event: SparseUsersEvent): Promise<{ body: number }> => {
  const { target, users, keep, gapMs, seconds, seed } = event;
  const random = randomFrom(seed);
  const end = performance.now() + seconds * 1_000;
  let requests = 0;
  const request = async (user: number) => {
    const kept = open[user];
    const own = kept && !kept.ended ? kept : await RawConnection.open(target);
    await own.run(["GET", "greeting"]);
    requests++;
    if (keep) open[user] = own;
    else own.close();
  };
  const use = async (user: number) => {
    if (gapMs === 0) return request(user);
    for (;;) {
      // Exponential pauses: requests of a user come at random.
      const wait = -Math.log(1 - random()) * gapMs;
      if (performance.now() + wait > end) return;
      await sleep(wait);
      await request(user);
    }
  };
  await Promise.all(Array.from({ length: users }, (_, user) => use(user)));
  return { body: requests };
};
