import { setTimeout as sleep } from "node:timers/promises";
import { RawConnection, type RawTarget } from "../client/raw-connection.js";
import { ClusterReader } from "../sockets/cluster-reader.js";
import { randomFrom } from "../util/random.js";

/** The address of a server, or of the cluster's node from which the topology is fetched. */
export type UserTarget = RawTarget | { readonly seedPort: number };

/** The event of an invocation: users of servers, each as a process or an instance with connections of its own. */
export interface SparseUsersEvent {
  /** Each user connects to one of them, in turn. */
  readonly targets: readonly UserTarget[];
  readonly users: number;
  /** Whether a user keeps its connections for later requests. */
  readonly keep: boolean;
  /** The mean pause of a user between two requests in ms; 0: one request, after which its connection is idle. */
  readonly gapMs: number;
  readonly seconds: number;
  readonly seed: number;
}

/** A user's connection, or its connections to the nodes of a cluster. One that the server closed is opened again. */
interface Connected {
  get(key: string): Promise<unknown>;
  close(): void;
}

/** The connections that are kept; they stay open after the invocation. */
const open: (Connected | undefined)[] = [];

/** Runs requests at random times, each with one GET of a random key. Returns how many were sent. */
export const handler = async (event: SparseUsersEvent): Promise<{ body: number }> => {
  const { targets, users, keep, gapMs, seconds, seed } = event;
  const random = randomFrom(seed);
  const end = performance.now() + seconds * 1_000;
  let requests = 0;
  const request = async (user: number) => {
    const kept = open[user];
    const own = kept ?? (await connect(targets[user % targets.length]!));
    const get = () => own.get(`page:${Math.floor(random() * 1_000)}`);
    // The server may close an idle connection while a request is on its way.
    await (kept ? get().catch(get) : get());
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

async function connect(target: UserTarget): Promise<Connected> {
  if ("seedPort" in target) {
    const reader = new ClusterReader(target.seedPort);
    return { get: (key) => reader.read([key]), close: () => reader.close() };
  }
  let own = await RawConnection.open(target);
  return {
    get: async (key) => {
      if (own.ended) own = await RawConnection.open(target);
      return own.run(["GET", key]);
    },
    close: () => own.close(),
  };
}
