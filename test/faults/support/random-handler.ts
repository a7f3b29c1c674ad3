import { mulberry32 } from "../../support/model/random.mjs";

// Random handlers: steps of writes that depend on the replies of earlier ones.

/** A write: a method and its arguments. */
type Write = readonly [method: string, ...args: unknown[]];
/** Writes that are sent together. A transaction is applied as a whole, the others one by one. */
export interface Step {
  readonly kind: "single" | "pipeline" | "transaction" | "concurrent";
  /** Returns the writes, which depend on the replies so far. */
  writes(seen: number): readonly Write[];
}

export const KEYS = ["n", "text", "list", "hash", "set", "zset"];

/** Returns a random write below a prefix. `pick` returns a whole number below its argument. */
function writeOf(prefix: string, pick: (below: number) => number): Write {
  const [n, text, list, hash, set, zset] = KEYS.map((key) => prefix + key);
  const value = `v${pick(4)}`;
  const writes: Write[] = [
    ["incr", n],
    ["incrby", n, 1 + pick(3)],
    ["decr", n],
    ["append", text, value],
    ["set", text, value, { get: true }],
    ["getdel", text],
    ["rpush", list, value],
    ["lpush", list, value, value],
    ["lpop", list],
    ["hincrby", hash, value, 1],
    ["sadd", set, value],
    ["srem", set, value],
    ["zincrby", zset, 1, value],
    // An error reply is a reply as well.
    ["lpush", n, value],
  ];
  return writes[pick(writes.length)]!;
}

/** Returns the steps of a random handler. Its writes depend on the replies of earlier ones. */
export function programOf(seed: number, prefix: string): Step[] {
  const next = mulberry32(seed);
  const kinds = ["single", "single", "pipeline", "transaction", "concurrent"] as const;
  return Array.from({ length: 2 + Math.floor(next() * 4) }, (): Step => {
    const kind = kinds[Math.floor(next() * kinds.length)]!;
    const size = kind === "single" ? 1 : 2 + Math.floor(next() * 2);
    const own = Math.floor(next() * 2 ** 30);
    return {
      kind,
      writes(seen) {
        const draw = mulberry32(own + seen);
        return Array.from({ length: size }, () => writeOf(prefix, (below) => Math.floor(draw() * below)));
      },
    };
  });
}

const never = new Promise<never>(() => {});
const replyOf = (error: Error) => error.message.slice(0, 9);

/**
 * Runs a handler. After `limit` writes its process ends: the run never settles, and `onEnd` is called.
 * @returns the replies.
 */
export async function runHandler(client: any, steps: readonly Step[], limit = Infinity, onEnd = () => {}) {
  const replies: unknown[] = [];
  let left = limit;
  for (const { kind, writes } of steps) {
    const all = writes(replies.flat().reduce((sum: number, reply) => sum + (Number(reply) || 1), 0));
    const sent = kind === "transaction" ? all : all.slice(0, left);
    const call = ([method, ...args]: Write) => client[method](...args).catch(replyOf);
    let got: unknown[];
    if (kind === "single" || kind === "concurrent") got = await Promise.all(sent.map(call));
    else {
      const batch = kind === "pipeline" ? client.pipeline() : client.multi();
      for (const [method, ...args] of sent) batch[method](...args);
      const results: { result?: unknown; error?: Error }[] = await batch.exec({ keepErrors: true });
      got = results.map(({ result, error }) => (error ? replyOf(error) : result));
    }
    left -= sent.length;
    if (left <= 0) {
      onEnd();
      await never;
    }
    replies.push(got);
  }
  return replies;
}
