import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { CachePersistenceLayer } from "@aws-lambda-powertools/idempotency/cache";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { idempotent } from "warmline/idempotent";
import { redisAvailable, startRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../gateway/src/index.js";
import { random, sequence } from "./support/random.js";

// Random handlers whose process ends after each single write. The event is delivered again each time, until a run ends. State and
// replies must equal those of one run. REDELIVERY_HANDLERS and REDELIVERY_SEED set the number of handlers and the seed.

const HANDLERS = Number(process.env.REDELIVERY_HANDLERS ?? 15);

/** A write: a method and its arguments. */
type Write = readonly [method: string, ...args: unknown[]];
/** Writes that are sent together. A transaction is applied as a whole, the others one by one. */
interface Step {
  readonly kind: "single" | "pipeline" | "transaction" | "concurrent";
  /** Returns the writes, which depend on the replies so far. */
  writes(seen: number): readonly Write[];
}

const KEYS = ["n", "text", "list", "hash", "set", "zset"];

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
function programOf(seed: number, prefix: string): Step[] {
  const next = sequence(seed);
  const kinds = ["single", "single", "pipeline", "transaction", "concurrent"] as const;
  return Array.from({ length: 2 + Math.floor(next() * 4) }, (): Step => {
    const kind = kinds[Math.floor(next() * kinds.length)]!;
    const size = kind === "single" ? 1 : 2 + Math.floor(next() * 2);
    const own = Math.floor(next() * 2 ** 30);
    return {
      kind,
      writes(seen) {
        const draw = sequence(own + seen);
        return Array.from({ length: size }, () => writeOf(prefix, (below) => Math.floor(draw() * below)));
      },
    };
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => {});
const replyOf = (error: Error) => error.message.slice(0, 9);

/**
 * Runs a handler. After `limit` writes its process ends: the run never settles, and `onEnd` is called.
 * @returns the replies.
 */
async function runHandler(client: any, steps: readonly Step[], limit = Infinity, onEnd = () => {}) {
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

/** Runs a handler for an event, in one way. */
interface Contender {
  readonly name: string;
  /** @param limit the number of writes after which the process ends. */
  deliver(event: string, steps: readonly Step[], limit: number, onEnd: () => void): Promise<unknown>;
  /** Called between two deliveries: the time has passed after which another run may begin. */
  pass?(event: string): Promise<unknown>;
}

describe.runIf(redisAvailable())("an event that is delivered again after each write", () => {
  let gateway: Gateway;
  let stop: () => Promise<void>;
  let redis: Redis;
  beforeAll(async () => {
    const server = await startRedis();
    gateway = await createGateway({ redis: server.url, port: 0 });
    stop = async () => {
      await gateway.close();
      await server.stop();
    };
    redis = new Redis({ url: gateway.url, token: gateway.token });
  });
  afterAll(() => stop?.());

  const contenders = (): Contender[] => {
    const text = redis.with({ codec: "text" });
    const client = {
      get: (name: string) => text.get<string>(name),
      set: (name: any, value: any, { EX, NX }: any = {}) =>
        text.set(name, value, { ex: EX, ...(NX && { nx: true }) }),
      del: (names: string[]) => text.del(...names),
    };
    return [
      {
        name: "warmline, scope",
        deliver: (event, ...rest) =>
          runHandler(redis.with({ writes: "exactly-once", scope: event }), ...rest),
      },
      {
        name: "warmline, strict scope",
        deliver: (event, ...rest) =>
          runHandler(redis.with({ writes: "exactly-once", scope: event, strict: true }), ...rest),
      },
      {
        name: "warmline, idempotent",
        deliver: (event, ...rest) => idempotent(redis, event, (guarded) => runHandler(guarded, ...rest)),
        pass: (event) => redis.del(event),
      },
      {
        name: "Powertools for AWS Lambda",
        deliver: (event, steps, limit, onEnd) => {
          const config = new IdempotencyConfig({});
          config.registerLambdaContext({ getRemainingTimeInMillis: () => 1 } as never);
          const persistenceStore = new CachePersistenceLayer({ client: client as never });
          const handler = async (_event: object) => (await runHandler(redis, steps, limit, onEnd)) as never;
          const options = { persistenceStore, config, keyPrefix: event };
          return makeIdempotent(handler, options)({ event });
        },
        // A run may take 1 ms here. The lock of a record that a run has left lasts 10 s.
        pass: async (event) => {
          await pause(2);
          const locks = await redis.keys(`${event}*:lock`);
          if (locks.length > 0) await redis.del(...locks);
        },
      },
      { name: "a plain client", deliver: (_event, ...rest) => runHandler(redis, ...rest) },
    ];
  };

  const stateOf = async (prefix: string) => {
    const [n, text, list, hash, set, zset] = KEYS.map((key) => prefix + key) as [string, ...string[]];
    const state = await redis
      .pipeline()
      .get(n)
      .get(text!)
      .lrange(list!, 0, -1)
      .hgetall(hash!)
      .smembers(set!)
      .zrange(zset!, 0, -1, { withScores: true })
      .exec({ keepErrors: true });
    state[4].result?.sort();
    return JSON.stringify(state.map(({ result, error }) => error?.message ?? result));
  };

  /** Delivers an event again and again, one more write applied each time. Returns whether it is as after one run. */
  async function survives(contender: Contender, seed: number): Promise<boolean> {
    const [one, other] = [`one:${seed}:`, `${contender.name}:${seed}:`];
    const steps = programOf(seed, other);
    const expected = await runHandler(redis, programOf(seed, one));
    const event = `event:${other}`;
    for (let limit = 1; limit <= expected.flat().length; limit++) {
      const ended = new Promise<void>((resolve, reject) => {
        contender.deliver(event, steps, limit, resolve).then(() => resolve(), reject);
      });
      await ended;
      await contender.pass?.(event);
    }
    const replies = await contender.deliver(event, steps, Infinity, () => {});
    const same =
      JSON.stringify(replies) === JSON.stringify(expected) && (await stateOf(other)) === (await stateOf(one));
    await redis.flushall();
    return same;
  }

  test("a scope and an idempotent function leave the state and the replies of one run", {
    timeout: 600_000,
  }, async () => {
    const { next, seed } = random("REDELIVERY_SEED");
    const seeds = Array.from({ length: HANDLERS }, () => Math.floor(next() * 2 ** 30));
    const lines: string[] = [];
    const failed: string[] = [];
    for (const contender of contenders()) {
      let same = 0;
      for (const each of seeds) {
        if (await survives(contender, each)) same++;
        else if (contender.name.startsWith("warmline")) failed.push(`${contender.name}: handler ${each}`);
      }
      lines.push(`${contender.name}: ${same} of ${HANDLERS} handlers as after one run`);
    }
    console.info(`${lines.join("\n")}\nREDELIVERY_SEED=${seed}`);
    expect(failed).toEqual([]);
    // The faults are real: without a guard, writes are applied again.
    expect(lines.at(-1)).not.toContain(`: ${HANDLERS} of`);
  });
});
