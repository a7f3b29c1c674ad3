import type { RedisDatabase, RedisDataValue, RedisMutationEvent, RedisResult } from "js-redis-server/core";

export interface Wait {
  readonly id: number;
  readonly database: RedisDatabase;
  readonly keys: readonly Buffer[];
  readonly type: "list" | "zset" | "stream";
  /** Whether the command fails, rather than goes on waiting, when its key is removed. Only XREADGROUP does. */
  readonly needsKey: boolean;
  /** Runs the command with one of its keys. Undefined if it has to go on waiting. @throws the error that ends the wait */
  attempt(key: Buffer): RedisResult | undefined;
  /** Called once with the result or the error that ends the wait, or null if its time is over. */
  end(outcome: RedisResult | Error | null): void;
}

/** The clients that wait for a key, in the order in which they began. */
interface Queue {
  readonly database: RedisDatabase;
  readonly key: Buffer;
  readonly waits: Set<Wait>;
  /** The result of {@link markOf} after the last change of the key. */
  mark: string | undefined;
  unsubscribe(): void;
}

/**
 * The clients that wait for elements, and the keys that may have some for them. Clients are served after a command, a transaction or a
 * script, as by Redis: keys in the order in which they became ready, and the clients of a key in the order in which they began to wait.
 * A client that is served leaves the queues of all its keys; any other keeps its place in each. Keys that become ready by that, as by
 * BLMOVE, are served in the next round.
 */
export class WaitingClients {
  readonly #queues = new Map<string, Queue>();
  readonly #waits = new Set<Wait>();
  #ready = new Set<Queue>();
  /** The keys of this round that are still to be served. */
  #round = new Set<Queue>();

  /** Puts a client at the end of the queues of its keys. */
  add(wait: Wait): void {
    this.#waits.add(wait);
    for (const key of wait.keys) this.#queueOf(wait.database, key).waits.add(wait);
  }

  /** Removes a client from the queues of its keys. */
  remove(wait: Wait): void {
    if (!this.#waits.delete(wait)) return;
    for (const key of wait.keys) {
      const id = idOf(wait.database, key);
      const queue = this.#queues.get(id);
      queue?.waits.delete(wait);
      if (queue?.waits.size !== 0) continue;
      queue.unsubscribe();
      this.#queues.delete(id);
    }
  }

  end(wait: Wait, outcome: RedisResult | Error | null): void {
    this.remove(wait);
    wait.end(outcome);
  }

  /** Ends the wait of the client with an id. Returns false if it does not wait. */
  unblock(id: number, outcome: Error | null): boolean {
    const found = [...this.#waits].find((wait) => wait.id === id);
    if (found) this.end(found, outcome);
    return found !== undefined;
  }

  /** Notes that a key is ready, with a value of a type. As in Redis, nothing happens if no client waits for this type at any key. */
  signal(database: RedisDatabase, key: Buffer, type: string): void {
    if (this.#waits.size === 0) return;
    const queue = this.#queues.get(idOf(database, key));
    if (!queue || this.#round.has(queue)) return;
    if ([...this.#waits].some((wait) => wait.type === type)) this.#ready.add(queue);
  }

  /** Serves the clients of all keys that became ready. To be called between commands. */
  serve(): void {
    while (this.#ready.size > 0) {
      this.#round = this.#ready;
      this.#ready = new Set();
      for (const queue of this.#round) {
        this.#round.delete(queue);
        for (const wait of queue.waits) this.#attempt(wait, queue.key);
      }
    }
  }

  #attempt(wait: Wait, key: Buffer): void {
    if (wait.database.getType(key) !== wait.type && !wait.needsKey) return;
    let outcome: RedisResult | Error | undefined;
    try {
      outcome = wait.attempt(key);
    } catch (error) {
      outcome = error as Error;
    }
    if (outcome) this.end(wait, outcome);
  }

  #queueOf(database: RedisDatabase, key: Buffer): Queue {
    const id = idOf(database, key);
    const existing = this.#queues.get(id);
    if (existing) return existing;
    const queue: Queue = {
      database,
      key,
      waits: new Set(),
      mark: markOf(database.get(key)),
      unsubscribe: database.subscribeKey(key, (event) => this.#observe(queue, event)),
    };
    this.#queues.set(id, queue);
    return queue;
  }

  /** A key is ready if it is new, or a stream that has changed. A value that is overwritten does not make it ready. */
  #observe(queue: Queue, event: RedisMutationEvent): void {
    if (event.type === "expire" || event.type === "persist") return;
    const { database, key, mark: before } = queue;
    queue.mark = event.type === "write" ? markOf(event.value) : undefined;
    if (before === undefined && event.type === "write") this.signal(database, key, event.value.type);
    if (before?.startsWith("stream") && queue.mark !== before) this.signal(database, key, "stream");
  }
}

/** The type of a value; of a stream also its last id, which changes with each entry. */
function markOf(value: RedisDataValue | null): string | undefined {
  return value?.type === "stream" ? `stream ${value.lastId.ms}-${value.lastId.seq}` : value?.type;
}

function idOf(database: RedisDatabase, key: Buffer): string {
  return `${database.id}:${key.toString("hex")}`;
}
