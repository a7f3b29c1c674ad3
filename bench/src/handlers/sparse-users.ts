import { setTimeout as sleep } from "node:timers/promises";
import { KeyReader, type ReaderTarget } from "../sockets/key-reader.js";
import { pageKeys, randomFrom } from "../util/random.js";

/** The event of an invocation: users of servers, each as a process or an instance with connections of its own. */
export interface SparseUsersEvent {
  /** Each user connects to one of them, in turn. */
  readonly targets: readonly ReaderTarget[];
  readonly users: number;
  /** Whether a user keeps its connections for later requests; they stay open after the invocation. */
  readonly keep: boolean;
  /** The mean pause of a user between two requests in ms; 0: one request, after which its connection is idle. */
  readonly gapMs: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Runs requests at random times, each with one GET of a random key. */
export const handler = async (event: SparseUsersEvent): Promise<void> => {
  const { targets, users, keep, gapMs, seconds, seed } = event;
  const random = randomFrom(seed);
  const end = performance.now() + seconds * 1_000;
  const readers = Array.from({ length: users }, (_, user) => new KeyReader(targets[user % targets.length]!));
  const request = async (reader: KeyReader) => {
    const get = () => reader.read(pageKeys(1, random));
    // The server may close a kept connection while a request is on its way.
    await (reader.connections > 0 ? get().catch(get) : get());
    if (!keep) {
      reader.close();
      reader.dropTopology();
    }
  };
  const use = async (reader: KeyReader) => {
    if (gapMs === 0) return request(reader);
    for (;;) {
      // Exponential pauses: requests of a user come at random.
      const wait = -Math.log(1 - random()) * gapMs;
      if (performance.now() + wait > end) return;
      await sleep(wait);
      await request(reader);
    }
  };
  await Promise.all(readers.map(use));
};
