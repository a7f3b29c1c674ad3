import { AsyncLocalStorage } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { RedisOptions } from "warmline";
import { type Arrived, jsonResponse, RawEndpoint } from "../support/endpoint.js";
import { describeEntries } from "../support/entries.js";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { pause } from "./support/rig.js";

// Commands of several requests that one process serves travel together. Each keeps its own signal, deadline and time: an
// abort or a timeout settles its own command, and no other.

const endpoint = RawEndpoint.forEachTest();
beforeEach(() => {
  endpoint.onRequest = reply;
});

const json = (body: string, headers: Record<string, string> = {}, status?: string) =>
  jsonResponse(body, { "warmline-gateway": "0", ...headers }, status);
/** Replies to each command with 1. */
const reply = ({ socket, body }: Arrived) => {
  const commands = JSON.parse(body) as unknown[];
  const batch = Array.isArray(commands[0]);
  socket.write(json(batch ? JSON.stringify(commands.map(() => ({ result: 1 }))) : '{"result":1}'));
};
const replyAfter = (ms: number) => (request: Arrived) => void setTimeout(reply, ms, request);
/** The keys that arrived, request by request. */
const arrived = () =>
  endpoint.requests.map(({ body }) => {
    const commands = JSON.parse(body) as string[] | string[][];
    return Array.isArray(commands[0]) ? (commands as string[][]).map(([, key]) => key) : [commands[1]];
  });

/** A signal and a deadline for the commands that are issued inside `run`. */
interface Request {
  readonly signal?: AbortSignal;
  readonly remaining?: number;
}
const request = new AsyncLocalStorage<Request>();
const run = <T>(own: Request, call: () => Promise<T>): Promise<T> => request.run(own, call);
const aborted = (reason: unknown) => ({ signal: AbortSignal.abort(reason) });

describeEntries((Client, entry) => {
  const onNode = entry === "Node";
  const client = (options: RedisOptions = {}) =>
    new Client({ url: endpoint.url, token: "t", responseFormat: "json", timeout: 10_000, ...options });
  const withSignals = (options: RedisOptions = {}) =>
    client({ signal: () => request.getStore()?.signal, ...options });
  const withDeadlines = (options: RedisOptions = {}) =>
    client({ deadline: { remaining: () => request.getStore()?.remaining ?? 60_000 }, ...options });

  test("the aborts of a tenth of many requests, 50 at a time, reject no other request", {
    tags: "random",
    timeout: 90_000,
  }, async () => {
    const total = scaled(1_000);
    const next = mulberry32(SEED);
    endpoint.onRequest = replyAfter(16);
    const redis = withSignals();
    const outcomes: Record<string, number> = { ok: 0, aborted: 0, victim: 0, missed: 0 };
    let started = 0;
    const serve = async (number: number) => {
      const controller = new AbortController();
      const reason = new Error(`request ${number}`);
      const aborts = number % 10 === 5;
      if (aborts) setTimeout(() => controller.abort(reason), 1 + next() * 14);
      try {
        await run({ signal: controller.signal }, async () => {
          await redis.strlen(`k${number}`);
          await redis.incr(`n${number}`);
        });
        outcomes[aborts ? "missed" : "ok"]!++;
      } catch (error) {
        outcomes[aborts && error === reason ? "aborted" : "victim"]!++;
      }
    };
    const worker = async () => {
      while (started < total) await serve(started++);
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    expect(outcomes).toEqual({ ok: 0.9 * total, aborted: 0.1 * total, victim: 0, missed: 0 });
  });

  describe.each(["short", "long"])("deadlines of different lengths, the %s one first", (first) => {
    test("the shorter of two deadlines ends its own command, and the other one continues", async () => {
      const redis = withDeadlines();
      await redis.strlen("warm");
      const held: Arrived[] = [];
      endpoint.onRequest = (arrived) => void held.push(arrived);
      const short = () => run({ remaining: 400 }, () => redis.incr("short")).catch((error) => error);
      const long = () => run({ remaining: 25_000 }, () => redis.incr("long"));
      const [ended, other] = first === "short" ? [short(), long()] : [long(), short()].reverse();
      expect(await ended).toMatchObject({ name: "TimeoutError", outcome: "unknown", command: "INCR" });
      // The response comes only now.
      expect(held).toHaveLength(1);
      reply(held[0]!);
      expect(await other).toBe(1);
      expect(endpoint.requests).toHaveLength(2);
    });
  });

  describe.each(["before", "behind"])("one that is aborted already, %s another", (place) => {
    test("an aborted command is not sent, and the other is", async () => {
      const redis = withSignals();
      const [own, live] = [() => run(aborted("mine"), () => redis.incr("a")), () => redis.incr("b")];
      const calls = place === "before" ? [own(), live()] : [live(), own()].reverse();
      expect(await Promise.allSettled(calls)).toEqual([
        { status: "rejected", reason: "mine" },
        { status: "fulfilled", value: 1 },
      ]);
      expect(arrived()).toEqual([["b"]]);
    });

    test("a command aborted in the same tick is not sent, and the others are", async () => {
      const redis = withSignals({ writes: "exactly-once" });
      const controller = new AbortController();
      const own = () => run({ signal: controller.signal }, () => redis.incr("own"));
      const others = () => Promise.all([redis.incr("b"), redis.incr("c")]);
      const calls = place === "before" ? [own(), others()] : [others(), own()].reverse();
      controller.abort("mine");
      expect(await Promise.allSettled(calls)).toEqual([
        { status: "rejected", reason: "mine" },
        { status: "fulfilled", value: [1, 1] },
      ]);
      expect(endpoint.requests).toHaveLength(1);
      expect(endpoint.count('"own"')).toBe(0);
    });
  });

  test("a command aborted in flight leaves the request and the connection to the other", async () => {
    const redis = withSignals();
    await redis.strlen("warm");
    const controller = new AbortController();
    endpoint.onRequest = (arrived) => {
      controller.abort("mine");
      replyAfter(100)(arrived);
    };
    const own = run({ signal: controller.signal }, () => redis.incr("a"));
    const other = redis.incr("b");
    await expect(own).rejects.toBe("mine");
    expect(await other).toBe(1);
    expect(arrived()).toEqual([["warm"], ["a", "b"]]);
    if (onNode) expect(endpoint.connections).toBe(1);
  });

  test("a request whose commands are all aborted in flight ends with the last", async () => {
    const redis = withSignals();
    const controllers = [new AbortController(), new AbortController()];
    let closed = false;
    endpoint.onRequest = ({ socket }) => {
      socket.on("close", () => {
        closed = true;
      });
      setTimeout(() => controllers[0]!.abort("first"), 20);
    };
    const calls = controllers.map(({ signal }, i) => run({ signal }, () => redis.incr(`k${i}`)));
    await expect(calls[0]).rejects.toBe("first");
    await pause(50);
    expect(closed).toBe(false);
    controllers[1]!.abort("last");
    await expect(calls[1]).rejects.toBe("last");
    await expect.poll(() => closed).toBe(true);
    await pause(100);
    expect(endpoint.requests).toHaveLength(1);
  });

  test("a command aborted between two attempts is not sent again, and the other is", async () => {
    const redis = withSignals({ retry: { backoff: () => 100 } });
    const controller = new AbortController();
    endpoint.onRequest = (arrived) => {
      if (endpoint.requests.length > 1) return reply(arrived);
      arrived.socket.write(json('[{"error":"UNSENT no room"},{"error":"UNSENT no room"}]'));
      setTimeout(() => controller.abort("mine"), 50);
    };
    const own = run({ signal: controller.signal }, () => redis.incr("a"));
    const other = redis.incr("b");
    await expect(own).rejects.toBe("mine");
    expect(await other).toBe(1);
    expect(arrived()).toEqual([["a", "b"], ["b"]]);
  });

  test("a command that times out between two attempts is unsent if the gateway did not send it", async () => {
    const redis = withDeadlines({ retry: { backoff: () => 600 } });
    endpoint.onRequest = (arrived) =>
      endpoint.requests.length > 1
        ? reply(arrived)
        : void arrived.socket.write(
            json('[{"error":"UNSENT no room"},{"error":"UNKNOWNOUTCOME lost"},{"result":1}]'),
          );
    const calls = [
      run({ remaining: 400 }, () => redis.incr("unsent")),
      run({ remaining: 410 }, () => redis.strlen("unknown")),
      redis.incr("other"),
    ];
    expect(await Promise.allSettled(calls)).toMatchObject([
      { reason: { name: "TimeoutError", outcome: "unsent", command: "INCR" } },
      { reason: { name: "TimeoutError", outcome: "unknown", command: "STRLEN" } },
      { value: 1 },
    ]);
    await pause(700);
    expect(endpoint.requests).toHaveLength(1);
  });

  test("reads of a lost request are sent again without the aborted one", async () => {
    const redis = withSignals();
    const controller = new AbortController();
    endpoint.onRequest = (arrived) => {
      if (endpoint.requests.length > 1) return reply(arrived);
      controller.abort("mine");
      setTimeout(() => arrived.socket.destroy(), 20);
    };
    const calls = [
      run({ signal: controller.signal }, () => redis.strlen("own")),
      redis.strlen("read"),
      redis.incr("write"),
    ];
    expect(await Promise.allSettled(calls)).toMatchObject([
      { reason: "mine" },
      { value: 1 },
      { reason: { name: "UnknownOutcomeError", command: "INCR" } },
    ]);
    expect(arrived()).toEqual([["own", "read", "write"], ["read"]]);
  });

  test("an abort among commands too many for one request settles its own at once, and the others keep their order", async () => {
    const redis = withSignals();
    const controller = new AbortController();
    endpoint.onRequest = replyAfter(60);
    const issue = (i: number) => redis.incr(`k${i}`);
    let ownTook = Number.POSITIVE_INFINITY;
    const began = performance.now();
    const calls = Array.from({ length: 2_500 }, (_, i) =>
      i === 1_700 ? run({ signal: controller.signal }, () => issue(i)) : issue(i),
    );
    calls[1_700]!.catch(() => {
      ownTook = performance.now() - began;
    });
    setTimeout(() => controller.abort("mine"), 10);
    const settled = await Promise.allSettled(calls);
    expect(settled.filter(({ status }) => status === "rejected")).toEqual([
      { status: "rejected", reason: "mine" },
    ]);
    expect(ownTook).toBeLessThan(performance.now() - began - 60);
    expect(arrived().map(({ length }) => length)).toEqual([1_000, 999, 500]);
    expect(endpoint.count('"k1700"')).toBe(0);
  });

  /** A client whose signal function notes the context of each of its calls. */
  const withNotes = () => {
    const requested: (Request | undefined)[] = [];
    const signal = () => {
      requested.push(request.getStore());
      return request.getStore()?.signal;
    };
    return { redis: client({ signal }), requested };
  };

  test("the signal function is called once per call, in its caller's context, and may return undefined", async () => {
    const { redis, requested } = withNotes();
    const [a, b] = [{}, { signal: new AbortController().signal }];
    await Promise.all([
      run(a, () => redis.incr("a")),
      run(b, () => redis.incr("b")),
      run(a, () => redis.pipeline().incr("c").incr("d").exec()),
      run(b, () => redis.multi().incr("e").incr("f").exec()),
    ]);
    expect(requested).toEqual([a, b, a, b]);
  });

  test.each([
    ["null", null],
    ["an object", {}],
    ["a number", 5],
    ["a controller", new AbortController()],
  ])("a signal function that returns %s is a ConfigError of its own call", async (_what, given) => {
    let calls = 0;
    const redis = client({ signal: (() => (++calls % 2 ? given : undefined)) as () => AbortSignal });
    const message = "signal must return an AbortSignal";
    expect(await Promise.allSettled([redis.incr("a"), redis.incr("b")])).toMatchObject([
      { reason: { name: "ConfigError", message } },
      { value: 1 },
    ]);
    await expect(redis.pipeline().incr("c").exec()).rejects.toMatchObject({ name: "ConfigError", message });
    expect(arrived()).toEqual([["b"]]);
  });

  test("an error thrown by the signal function or the deadline rejects its own call", async () => {
    let calls = 0;
    const fails = () => {
      if (++calls % 2) throw new Error("mine");
    };
    const signal = (() => fails()) as () => never;
    const remaining = () => {
      fails();
      return 1_000;
    };
    for (const options of [{ signal }, { deadline: { remaining } }]) {
      const redis = client(options);
      expect(await Promise.allSettled([redis.incr("a"), redis.incr("b")])).toMatchObject([
        { reason: { message: "mine" } },
        { value: 1 },
      ]);
    }
  });

  test("commands with one signal and one timeout share a listener and a timer", async () => {
    const { signal } = new AbortController();
    const listen = vi.spyOn(signal, "addEventListener");
    const redis = client({ signal, deadline: { remaining: () => 5_000 } });
    expect(await Promise.all([redis.incr("a"), redis.incr("b"), redis.incr("c")])).toEqual([1, 1, 1]);
    expect(listen).toHaveBeenCalledTimes(1);
    // Nothing is left of calls that have ended.
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("streams call the signal function once, in their caller's context", async () => {
    const { redis, requested } = withNotes();
    endpoint.onRequest = () => {};
    const controllers = [new AbortController(), new AbortController()];
    const [a, b] = controllers.map(({ signal }) => ({ signal }));
    const ready = run(a!, () => redis.subscribe(["c", "d"]).ready);
    const line = run(b!, () => redis.monitor().next());
    setTimeout(() => controllers[0]!.abort("first"), 50);
    await expect(ready).rejects.toBe("first");
    controllers[1]!.abort("second");
    await expect(line).rejects.toBe("second");
    expect(requested).toEqual([a, b]);
  });

  test("each page of an iterator calls the signal function in its caller's context", async () => {
    const redis = withSignals();
    endpoint.onRequest = ({ socket, body }) =>
      void socket.write(json(`{"result":["${body.includes('"0"') ? 7 : 0}",["a","b"]]}`));
    const controller = new AbortController();
    await run({ signal: controller.signal }, async () => {
      const keys: string[] = [];
      const iterating = (async () => {
        for await (const key of redis.scanIterator()) {
          keys.push(key);
          if (keys.length === 2) controller.abort("mine");
        }
      })();
      await expect(iterating).rejects.toBe("mine");
      expect(keys).toEqual(["a", "b"]);
    });
    expect(endpoint.requests).toHaveLength(1);
  });
});
