import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { type RedisServer, startRedis } from "warmline-testbed";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import type { BlockedCase } from "./blocked.js";
import type { Command } from "./commands.js";
import { type Reply, ReplyClient } from "./replies.js";
import { isSameReply } from "./same-reply.js";

/** One command whose replies differ. */
export interface Difference {
  readonly command: Command;
  readonly redis: Reply;
  readonly embedded: Reply;
}

/** Replies whose order Redis leaves open: sorted before they are compared. */
const UNORDERED = new Set("KEYS SMEMBERS SINTER SUNION SDIFF HKEYS HVALS".split(" "));

/** A real Redis beside an embedded engine. */
export class EnginePair {
  readonly #redis: RedisServer;
  readonly #engine: Engine;
  /** Version of the real Redis, such as `7.0.15`. */
  readonly version: string;

  static async start(): Promise<EnginePair> {
    const redis = await startRedis();
    const client = new ReplyClient(connect(redis.path!));
    const [info] = await client.run([["INFO", "server"]]);
    client.close();
    return new EnginePair(redis, await startEmbeddedEngine(), /redis_version:(\S+)/.exec(String(info))![1]!);
  }

  private constructor(redis: RedisServer, engine: Engine, version: string) {
    this.#redis = redis;
    this.#engine = engine;
    this.version = version;
  }

  /**
   * Runs commands on both, from empty databases and on a connection of their own.
   * @param isExpected returns true for differences to ignore, after the commands `before`; by default none are
   * @returns the first other difference, undefined if there is none
   */
  async compare(
    commands: readonly Command[],
    isExpected: (difference: Difference, before: readonly Command[]) => boolean = () => false,
  ): Promise<Difference | undefined> {
    const all = [["FLUSHALL"], ...commands];
    const sides = [new ReplyClient(connect(this.#redis.path!)), new ReplyClient(this.#engine.connect())];
    try {
      const [redis, embedded] = await Promise.all(sides.map((side) => side.run(all)));
      for (const [index, command] of all.entries()) {
        const before = all.slice(0, index);
        const difference = { command, redis: redis![index]!, embedded: embedded![index]! };
        for (const part of command[0] === "EXEC" ? partsOf(difference, before, redis!) : [difference]) {
          if (
            isSameReply(part.command, ordered(part.command, part.redis), ordered(part.command, part.embedded))
          )
            continue;
          if (!isExpected(part, before)) return difference;
        }
      }
      return undefined;
    } finally {
      for (const side of sides) side.close();
    }
  }

  /**
   * Lets clients wait one after the other, and then another one write.
   * @returns on each side the replies of the writes, those of the clients that got one, and what all keys hold in the end
   */
  async runBlocked({ waiting, writes }: BlockedCase): Promise<{ redis: Reply[][]; embedded: Reply[][] }> {
    const [redis, embedded] = await Promise.all(
      [() => connect(this.#redis.path!), () => this.#engine.connect()].map((open) =>
        runBlocked(open, waiting, writes),
      ),
    );
    return { redis: redis!, embedded: embedded! };
  }

  async stop(): Promise<void> {
    await this.#engine.close();
    await this.#redis.stop();
  }
}

/** The replies of EXEC with the commands of its transaction; EXEC itself unless both have replies for all of them. */
function partsOf(exec: Difference, before: readonly Command[], replies: readonly Reply[]): Difference[] {
  const start = before.findLastIndex(([name]) => name === "MULTI");
  const queued = before.filter((_, index) => index > start && replies[index] === "+QUEUED");
  const { redis, embedded } = exec;
  const isWhole = [redis, embedded].every((reply) => Array.isArray(reply) && reply.length === queued.length);
  if (!isWhole) return [exec];
  return queued.map((command, index) => ({ command, redis: redis[index]!, embedded: embedded[index]! }));
}

/** Commands that read all that the keys of a {@link BlockedCase} may hold. */
const READ_ALL: readonly Command[] = ["a", "b", "c", "d", "t"].flatMap((key) => [
  ["TYPE", key],
  ["GET", key],
  ["LRANGE", key, "0", "-1"],
  ["ZRANGE", key, "0", "-1", "WITHSCORES"],
  ["XRANGE", key, "-", "+"],
]);

async function runBlocked(
  open: () => Duplex,
  waiting: readonly Command[],
  writes: readonly Command[],
): Promise<Reply[][]> {
  const writer = new ReplyClient(open());
  await writer.run([["FLUSHALL"]]);
  const clients: ReplyClient[] = [];
  const replies: Promise<Reply>[] = [];
  const unblocks: Command[] = [];
  for (const command of waiting) {
    const client = new ReplyClient(open());
    clients.push(client);
    const [id] = await client.run([["CLIENT", "ID"]]);
    unblocks.push(["CLIENT", "UNBLOCK", String(id).slice(1)]);
    replies.push((await client.begin(command)).reply);
  }
  const written = await writer.run(writes);
  // Commands that still wait get null.
  const unblocked = await writer.run(unblocks);
  const contents = await writer.run(READ_ALL);
  const received = await Promise.all(replies);
  for (const client of [...clients, writer]) client.close();
  return [written, unblocked, received, contents];
}

/** The same reply, sorted where Redis guarantees no order, and without the hashes of scripts. */
function ordered(command: Command, reply: Reply): Reply {
  if (typeof reply === "string") return reply.startsWith("-") ? reply.replace(/[0-9a-f]{40}/, "SHA") : reply;
  if (command[0] === "XPENDING" && command.length > 3) return reply.map(withoutIdleTime);
  if (UNORDERED.has(command[0]!)) return [...reply].sort();
  if (command[0] === "HGETALL") return sortedPairs(reply);
  const [cursor, items] = reply;
  if (!Array.isArray(items)) return reply;
  if (command[0] === "SSCAN") return [cursor!, [...items].sort()];
  return command[0] === "HSCAN" ? [cursor!, sortedPairs(items)] : reply;
}

/** The fields of a hash, each before its value, in the order of the fields. */
function sortedPairs(reply: readonly Reply[]): readonly Reply[] {
  const pairs: [Reply, Reply][] = [];
  for (let at = 0; at < reply.length; at += 2) pairs.push([reply[at]!, reply[at + 1]!]);
  return pairs.sort((a, b) => (a[0] < b[0] ? -1 : 1)).flat();
}

/** A pending entry: id, consumer, ms since it was delivered, number of deliveries. */
function withoutIdleTime(entry: Reply): Reply {
  return typeof entry === "string" ? entry : entry.filter((_, index) => index !== 2);
}
