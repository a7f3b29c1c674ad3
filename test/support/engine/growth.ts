import type { Engine } from "../../../gateway/src/engine/engine.js";
import { ReplyClient } from "../differential/replies.js";

/** Commands that each add one element to the key k, by their name. The number of the first one is 0. */
export const WRITES: Readonly<Record<string, (n: number) => string[]>> = {
  RPUSH: (n) => ["RPUSH", "k", `element ${n}`],
  LPUSH: (n) => ["LPUSH", "k", `element ${n}`],
  HSET: (n) => ["HSET", "k", `field ${n}`, "value"],
  ZADD: (n) => ["ZADD", "k", String((n * 7919) % 100_003), `member ${n}`],
  SADD: (n) => ["SADD", "k", `member ${n}`],
  XADD: (n) => ["XADD", "k", `${n + 1}-1`, "field", "value"],
  APPEND: () => ["APPEND", "k", "0123456789"],
  GEOADD: (n) => ["GEOADD", "k", String((n % 359) - 179), String(((n * 7) % 160) - 80), `place ${n}`],
  // The first one makes the document.
  "JSON.SET": (n) =>
    n === 0 ? ["JSON.SET", "k", "$", '{"f0":"value"}'] : ["JSON.SET", "k", `$.f${n}`, '"value"'],
  "JSON.ARRAPPEND": (n) =>
    n === 0 ? ["JSON.SET", "k", "$", '["value"]'] : ["JSON.ARRAPPEND", "k", "$", '"value"'],
};

/** Reads of one element of a collection at the key k, by their name, with the write that fills it. */
export const READS: Readonly<Record<string, readonly [write: string, command: (n: number) => string[]]>> = {
  HGET: ["HSET", (n) => ["HGET", "k", `field ${n}`]],
  HLEN: ["HSET", () => ["HLEN", "k"]],
  HRANDFIELD: ["HSET", () => ["HRANDFIELD", "k"]],
  HSCAN: ["HSET", () => ["HSCAN", "k", "0"]],
  ZSCORE: ["ZADD", (n) => ["ZSCORE", "k", `member ${n}`]],
  ZRANK: ["ZADD", (n) => ["ZRANK", "k", `member ${n}`]],
  ZRANGE: ["ZADD", (n) => ["ZRANGE", "k", String(n), String(n)]],
  ZRANGEBYSCORE: ["ZADD", () => ["ZRANGEBYSCORE", "k", "100", "+inf", "LIMIT", "0", "1"]],
  ZPOPMIN: ["ZADD", () => ["ZPOPMIN", "k"]],
  ZMPOP: ["ZADD", () => ["ZMPOP", "1", "k", "MAX"]],
  LINDEX: ["RPUSH", (n) => ["LINDEX", "k", String(n)]],
  LPOS: ["RPUSH", () => ["LPOS", "k", "element 3"]],
  LPOP: ["RPUSH", () => ["LPOP", "k"]],
  SISMEMBER: ["SADD", (n) => ["SISMEMBER", "k", `member ${n}`]],
  SPOP: ["SADD", () => ["SPOP", "k"]],
  XRANGE: ["XADD", (n) => ["XRANGE", "k", `${n + 1}-1`, `${n + 1}-1`]],
  XREAD: ["XADD", (n) => ["XREAD", "COUNT", "1", "STREAMS", "k", `${n}-1`]],
  GETRANGE: ["APPEND", (n) => ["GETRANGE", "k", String(n), String(n)]],
  BITFIELD: ["APPEND", (n) => ["BITFIELD", "k", "INCRBY", "u8", `#${n}`, "1"]],
  RENAME: ["HSET", (n) => (n % 2 === 0 ? ["RENAME", "k", "other"] : ["RENAME", "other", "k"])],
  "JSON.GET": ["JSON.SET", (n) => ["JSON.GET", "k", `$.f${n}`]],
  "JSON.ARRPOP": ["JSON.ARRAPPEND", () => ["JSON.ARRPOP", "k"]],
  // Here the size is the number of keys in the database.
  SCAN: ["SET", () => ["SCAN", "0"]],
  DBSIZE: ["SET", () => ["DBSIZE"]],
  RANDOMKEY: ["SET", () => ["RANDOMKEY"]],
};

/** The first `count` commands of a kind of write; SET writes another key each time. */
export function writes(name: string, count: number): string[][] {
  const write = WRITES[name] ?? ((n: number) => [name, `key ${n}`, "value"]);
  return Array.from({ length: count }, (_, n) => write(n));
}

/** Commands in one write. */
const PIPELINE = 1_000;

/** Runs commands in pipelines. Returns their replies, and the CPU time of this process meanwhile, in ms. */
export async function measure(
  engine: Engine,
  commands: readonly (readonly string[])[],
): Promise<{ replies: unknown[]; cpu: number }> {
  const client = new ReplyClient(engine.connect());
  const replies: unknown[] = [];
  try {
    const start = process.cpuUsage();
    for (let at = 0; at < commands.length; at += PIPELINE)
      replies.push(...(await client.run(commands.slice(at, at + PIPELINE))));
    const { user, system } = process.cpuUsage(start);
    return { replies, cpu: (user + system) / 1_000 };
  } finally {
    client.close();
  }
}
