import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RedisOptions } from "warmline";
import { type Arrived, jsonResponse, RawEndpoint } from "../support/endpoint.js";
import { describeEntries } from "../support/entries.js";

// The outcome of an error covers every attempt of its command, not only the last one.

const json = (body: string, status?: string, headers = {}) =>
  jsonResponse(body, { "warmline-gateway": "0", ...headers }, status);

describeEntries((Client) => {
  const endpoint = RawEndpoint.forEachTest();
  afterEach(() => client().close());

  const client = (options: RedisOptions = {}) =>
    new Client({
      url: endpoint.url,
      token: "t",
      retry: { retries: 2, backoff: () => 1 },
      timeout: 10_000,
      ...options,
    });

  /** The first request is applied and its response lost; the others get a response for each command. */
  const loseFirst = (item: string, status?: string, headers = {}) => {
    endpoint.onRequest = ({ socket, body }: Arrived) => {
      if (endpoint.requests.length === 1) return void socket.destroy();
      const args = JSON.parse(body) as unknown[];
      const several = Array.isArray(args[0]) && status === undefined;
      socket.write(json(several ? `[${args.map(() => item)}]` : item, status, headers));
    };
  };
  const reasons = async (...calls: Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map((settled) => "reason" in settled && settled.reason);

  describe.each(["at-least-once", "exactly-once"] as const)("%s, the first response lost", (writes) => {
    test.each([
      ["429s", '{"error":"ERR too many requests"}', "429 Too Many Requests"],
      ["LOADING", '{"error":"LOADING Redis is loading"}', undefined],
      ["READONLY", '{"error":"READONLY replica"}', undefined],
      ["a refused token", '{"error":"WRONGPASS no"}', "401 Unauthorized"],
    ])("a single write whose response is lost stays unknown after %s", async (_, item, status) => {
      loseFirst(item, status, { "retry-after": "0" });
      const [error] = await reasons(client({ writes }).incr("n"));
      expect(error).toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown", command: "INCR" });
      expect(error.cause).toMatchObject({ name: "RedisError", outcome: "answered" });
    });

    test("a write of a batch stays unknown if the gateway then refuses to send it", async () => {
      loseFirst('{"error":"UNSENT no room"}');
      const redis = client({ writes });
      const unknown = { name: "UnknownOutcomeError", outcome: "unknown" };
      expect(await reasons(redis.incr("a"), redis.incr("b"))).toMatchObject([unknown, unknown]);
      expect(endpoint.requests.length).toBeGreaterThan(2);
    });

    test("a transaction stays unknown if Redis then discards it", async () => {
      loseFirst('{"error":"EXECABORT Transaction discarded because of previous errors."}', "400 Bad Request");
      const [error] = await reasons(client({ writes }).multi().incr("a").incr("b").exec());
      expect(error).toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown", command: "MULTI" });
    });

    test("a transaction through middleware has the same name", async () => {
      endpoint.onRequest = ({ socket }) => void socket.destroy();
      const redis = client({ writes, retry: false });
      redis.use((request, next) => next(request));
      const [error] = await reasons(redis.multi().incr("a").exec());
      expect(error).toMatchObject({ command: "MULTI", message: expect.stringMatching(/^MULTI: /) });
    });

    test("an error of the command itself is the first attempt's error", async () => {
      loseFirst('{"error":"WRONGTYPE no"}');
      expect(await reasons(client({ writes }).incr("n"))).toMatchObject([
        { code: "WRONGTYPE", outcome: "answered" },
      ]);
    });
  });

  describe("writes of a numbered batch that Redis refuses", () => {
    const ticket = { "warmline-instance": "process.1" };
    const refusal = '{"error":"OOM no memory"}';

    test.each(["at-most-once", "at-least-once"] as const)(
      "get the error if the response to the first copy was lost: %s",
      async (writes) => {
        endpoint.onRequest = ({ socket }) => void socket.write(json('{"result":1}', undefined, ticket));
        const redis = client({ writes });
        await redis.strlen("k");
        endpoint.requests.length = 0;
        loseFirst(refusal, undefined, ticket);
        const answered = { code: "OOM", outcome: "answered" };
        expect(await reasons(redis.incr("a"), redis.incr("b"))).toMatchObject([answered, answered]);
        const [first, second] = endpoint.requests.map(({ head }) => head.split(" ")[1]);
        expect(first).toMatch(/^\/n\/process\.1\./);
        expect(second).toBe(first);
      },
    );

    test("stay unknown if the first copy had no number", async () => {
      const held: Arrived[] = [];
      endpoint.onRequest = (request) => void held.push(request);
      const redis = client({ writes: "at-least-once" });
      const writes = reasons(redis.incr("a"), redis.incr("b"));
      await expect.poll(() => held.length).toBe(1);
      const read = redis.strlen("k");
      await expect.poll(() => held.length).toBe(2);
      held[1]!.socket.write(json('{"result":1}', undefined, ticket));
      await read;
      endpoint.onRequest = ({ socket }) =>
        void socket.write(json(`[${refusal},${refusal}]`, undefined, ticket));
      held[0]!.socket.destroy();
      const unknown = { name: "UnknownOutcomeError", outcome: "unknown" };
      expect(await writes).toMatchObject([unknown, unknown]);
      expect(endpoint.requests.at(-1)!.head).toMatch(/^POST \/n\/process\.1\./);
    });
  });

  test("a write that the gateway lost stays unknown if it then refuses to send it, or sends nothing", async () => {
    let then = (socket: Arrived["socket"]) =>
      void socket.write(json('[{"error":"UNSENT no"},{"error":"UNSENT no"}]'));
    endpoint.onRequest = ({ socket }) =>
      endpoint.requests.length === 1
        ? socket.write(json('[{"error":"UNKNOWNOUTCOME lost"},{"error":"UNSENT no"}]'))
        : then(socket);
    const redis = client({ writes: "exactly-once" });
    expect(await reasons(redis.incr("a"), redis.incr("b"))).toMatchObject([
      { name: "UnknownOutcomeError", outcome: "unknown", command: "INCR" },
      { name: "ConnectionError", outcome: "unsent", command: "INCR" },
    ]);
    endpoint.requests.length = 0;
    then = () => {};
    expect(await reasons(redis.with({ timeout: 600 }).incr("a"))).toMatchObject([{ outcome: "unknown" }]);
  });

  test("a read whose first response was lost rejects with Redis's error", async () => {
    loseFirst('{"error":"LOADING Redis is loading"}');
    expect(await reasons(client().get("a"))).toMatchObject([{ code: "LOADING", outcome: "answered" }]);
  });

  test("a call without time left is unsent, and sends nothing", async () => {
    const redis = client().with({ deadline: { remaining: () => 20 } });
    const unsent = { name: "TimeoutError", outcome: "unsent" };
    expect(
      await reasons(
        redis.incr("a"),
        redis.incr("b"),
        redis.pipeline().incr("a").exec(),
        redis.multi().incr("a").exec(),
      ),
    ).toMatchObject([unsent, unsent, unsent, unsent]);
    expect(endpoint.requests).toEqual([]);
  });

  describe("functions of the user that throw", () => {
    const thrown = vi.fn();
    beforeEach(() => {
      thrown.mockReset();
      process.on("uncaughtException", thrown).on("unhandledRejection", thrown);
    });
    afterEach(() => {
      process.off("uncaughtException", thrown).off("unhandledRejection", thrown);
      expect(thrown).not.toHaveBeenCalled();
    });
    const backoff = () => {
      throw new Error("mine");
    };

    test("a retry.backoff that throws ends the retries", async () => {
      endpoint.answer(json("{}", "503 Service Unavailable"));
      const [error] = await reasons(client({ retry: { backoff } }).get("a"));
      expect(error).toMatchObject({ name: "UnknownOutcomeError" });
      endpoint.answer(json('[{"error":"UNSENT no"},{"error":"UNSENT no"}]'));
      const redis = client({ retry: { backoff } });
      expect(await reasons(redis.incr("a"), redis.incr("b"))).toMatchObject([
        { name: "ConnectionError", outcome: "unsent" },
        { name: "ConnectionError", outcome: "unsent" },
      ]);
    });
  });
});
