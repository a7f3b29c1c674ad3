import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { CachePersistenceLayer } from "@aws-lambda-powertools/idempotency/cache";
import { build } from "esbuild";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { idempotent } from "warmline/idempotent";
import { startNetworkProxy, startRedis } from "warmline-testbed";
import { createGateway } from "../../gateway/src/index.js";
import { sharedByTests } from "../support/lifetime.js";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { runProgram } from "./support/program.js";
import { KEYS, programOf, runHandler, type Step } from "./support/random-handler.js";

// The run of a random handler is cut off after its first write. Its event is delivered again, and the next run is cut off one write
// later, and so on until a run completes. State and replies must equal those of a single complete run.

/** Number of handlers that are cut off within this process. */
const HANDLERS = scaled(150);
/** Number of handlers that run in processes of their own, which are killed. */
const KILLED = Math.ceil(HANDLERS / 50);
/** Number of handlers that run at the same time. */
const CONCURRENT = 8;
/** Maximum number of handlers for each client that warmline is compared with. */
const MAX_COMPARED = 100;

const next = mulberry32(SEED);
const seeds = (count: number) => Array.from({ length: count }, () => Math.floor(next() * 2 ** 30));

/** The program of a process that runs one random handler. */
const handlerSource = build({
  entryPoints: [fileURLToPath(new URL("handlers/redelivery.ts", import.meta.url))],
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["warmline", "warmline/*"],
  write: false,
}).then(({ outputFiles }) => outputFiles[0]!.text);

/** A client, with its way to handle an event that is delivered again. */
interface Contender {
  readonly name: string;
  /**
   * Runs the handler of an event.
   * @param limit the number of writes after which the run is cut off
   * @param onEnd called when the run is cut off
   */
  deliver(event: string, steps: readonly Step[], limit: number, onEnd: () => void): Promise<unknown>;
  /** Called between two deliveries. Ends the lease or lock of the run that was cut off, as if its time had passed. */
  pass?(event: string): Promise<unknown>;
}

describe("an event that is delivered again after each write", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis());
  const gateway = sharedByTests(() => createGateway({ redis: server.url, port: 0 }));
  const redis = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
  beforeEach(() => redis.flushall());

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
        // A run counts as in progress for 1 ms, the remaining time above. The lock on the record of such a run lasts 10 s.
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

  /** Delivers an event with a limit of 1 write, of 2, and so on, and last without one. Returns whether the effect is that of one run. */
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
    return (
      JSON.stringify(replies) === JSON.stringify(expected) && (await stateOf(other)) === (await stateOf(one))
    );
  }

  test("with a scope or idempotent(), state and replies are those of one run", {
    timeout: 600_000,
  }, async () => {
    const all = seeds(HANDLERS);
    const lines: string[] = [];
    const failed: string[] = [];
    for (const contender of contenders()) {
      const isOurs = contender.name.startsWith("warmline");
      const left = isOurs ? [...all] : all.slice(0, MAX_COMPARED);
      const count = left.length;
      let same = 0;
      const run = async () => {
        for (let each = left.pop(); each !== undefined; each = left.pop()) {
          if (await survives(contender, each)) same++;
          else if (isOurs) failed.push(`${contender.name}: handler ${each}`);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT }, run));
      await redis.flushall();
      lines.push(`${contender.name}: ${same} of ${count} handlers as after one run`);
      // Proves that the limits matter: without warmline, writes are applied again or replies are lost.
      if (!isOurs && same === count) failed.push(`${contender.name}: every handler`);
    }
    console.info(`${lines.join("\n")}`);
    expect(failed).toEqual([]);
  });

  test.each(["scope", "idempotent"])(
    "if the process is killed at each response in turn, state and replies are those of one run: %s",
    { timeout: 600_000 },
    async (way) => {
      const path = await startNetworkProxy({
        to: { host: "127.0.0.1", port: Number(new URL(gateway.url).port) },
      });
      const text = redis.with({ codec: "text" });
      for (const each of seeds(KILLED)) {
        const [one, other, event] = [`one:${each}:`, `${way}:${each}:`, `event:${each}`];
        const expected = await runHandler(redis, programOf(each, one));
        const env = { EVENT: event, PREFIX: other, SEED: String(each), WAY: way };
        const urls = { WARMLINE_URL: path.url, WARMLINE_TOKEN: gateway.token };
        let output = "";
        // The process is killed at the response to this request. Redis has applied the request by then.
        let last = 1;
        for (; output === ""; last++) {
          let requests = 0;
          let kill = () => {};
          path.onConnection(() => ({
            exchange: () =>
              ++requests === last ? { response: (_, part) => part.last && kill() } : undefined,
          }));
          const ended = await runProgram(await handlerSource, { ...env, ...urls }, (child) => {
            kill = () => child.kill("SIGKILL");
          });
          expect([ended.code, ended.errors]).toEqual([requests < last ? 0 : null, ""]);
          output = ended.output;
          // As if the lease of the killed run had expired.
          if ((await text.get<string>(event))?.startsWith("lease:")) await redis.del(event);
        }
        // Every handler sends two requests or more.
        expect(last).toBeGreaterThan(3);
        expect(output).toBe(JSON.stringify(expected));
        expect(await stateOf(other)).toBe(await stateOf(one));
      }
      await path.close();
    },
  );
});
