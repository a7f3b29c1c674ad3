import { equal, rejection, within } from "./assert.js";

// The same short suite for every runtime, written with nothing but globals that they all have. Each check gets a
// client, a function that makes keys of its own, the package's exports, and the addresses of the setup.

export const checks = {
  "values come back as they were stored": async ({ redis, key }) => {
    const value = { name: "Ada", text: "grüße 🌍", list: [1, 2.5, null, true] };
    equal(await redis.set(key("value"), value, { ex: 60 }), "OK");
    equal(await redis.get(key("value")), value);
    equal(await redis.get(key("missing")), null);
    await redis.mset({ [key("a")]: "00123", [key("b")]: "9007199254740993" });
    equal(await redis.mget(key("a"), key("b")), ["00123", "9007199254740993"]);
    equal(await redis.hset(key("hash"), { field: 1, other: "two" }), 2);
    equal(await redis.hgetall(key("hash")), { field: 1, other: "two" });
  },

  "bytes come back as they were sent": async ({ redis, key }) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await redis.set(key("bytes"), bytes);
    const back = await redis.with({ codec: "bytes" }).get(key("bytes"));
    equal([back instanceof Uint8Array, ...back], [true, ...bytes]);
  },

  "a value of a megabyte": async ({ redis, key }) => {
    const text = "0123456789abcdef".repeat(65_536);
    await redis.set(key("large"), text);
    equal((await redis.get(key("large"))) === text, true, "whether it is the same");
  },

  "commands of one turn keep their order": async ({ redis, key }) => {
    const counts = await Promise.all(Array.from({ length: 100 }, () => redis.incr(key("n"))));
    equal(
      counts,
      counts.map((_, i) => i + 1),
    );
  },

  "a pipeline gives every result, and errors in their place": async ({ redis, key, module }) => {
    equal(await redis.pipeline().incr(key("p")).set(key("q"), "x").get(key("q")).exec(), [1, "OK", "x"]);
    const kept = await redis.pipeline().incr(key("q")).incr(key("p")).exec({ keepErrors: true });
    equal([kept[0].error instanceof module.RedisError, kept[1].result], [true, 2]);
  },

  "a transaction runs as one": async ({ redis, key }) => {
    const [stock, length] = await redis.multi().decr(key("stock")).rpush(key("orders"), "a", "b").exec();
    equal([stock, length], [-1, 2]);
  },

  "a script runs by its digest": async ({ redis, key }) => {
    const script = redis.createScript("return redis.call('INCRBY', KEYS[1], ARGV[1])");
    equal(await script.exec([key("script")], [5]), 5);
    equal(await script.exec([key("script")], [5]), 10);
  },

  "an iterator walks a hash": async ({ redis, key }) => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, i]));
    await redis.hset(key("walk"), fields);
    const found = {};
    for await (const [field, value] of redis.hscanIterator(key("walk"))) found[field] = value;
    equal(Object.keys(found).length, 50);
  },

  "an exactly-once write": async ({ redis, key }) => {
    equal(await redis.with({ writes: "exactly-once" }).incr(key("once")), 1);
  },

  "a message reaches a subscriber": async ({ redis, key }) => {
    const subscriber = redis.subscribe(key("channel"));
    const first = new Promise((resolve) => subscriber.on("message", resolve));
    await within(10_000, subscriber.ready);
    equal(await redis.publish(key("channel"), { hello: "world" }), 1);
    equal((await within(10_000, first)).message, { hello: "world" });
    await subscriber.unsubscribe();
    equal(subscriber.getSubscribedChannels(), []);
  },

  "an error reply is a RedisError that names no value": async ({ redis, key, module }) => {
    await redis.set(key("text"), "secret");
    const error = await rejection(redis.incr(key("text")));
    equal([error instanceof module.RedisError, error.code, error.outcome], [true, "ERR", "answered"]);
    equal([error.name, error.command], ["RedisError", "INCR"]);
    equal(error.message.includes("secret"), false);
  },

  "a wrong token is refused": async ({ module, setup }) => {
    const stranger = new module.Redis({ url: setup.url, token: "wrong" });
    const error = await rejection(stranger.get("k"));
    equal([error instanceof module.RedisError, error.code], [true, "WRONGPASS"]);
  },

  "a call to an address without a listener reports its outcome": async ({
    module,
    setup,
    outcomeOfRefusal,
  }) => {
    const lost = new module.Redis({ url: setup.refusedUrl, token: "t", retry: { retries: 1 } });
    const error = await rejection(lost.set("k", "v"));
    equal([error instanceof module.WarmlineError, error.outcome], [true, outcomeOfRefusal]);
  },

  "an abort rejects with its reason": async ({ module, setup }) => {
    const silent = new module.Redis({ url: setup.silentUrl, token: "t" });
    const controller = new AbortController();
    const call = rejection(silent.with({ signal: controller.signal }).incr("k"));
    setTimeout(() => controller.abort(new Error("enough")), 50);
    equal((await within(10_000, call)).message, "enough");
  },

  // After the abort: a timeout opens the circuit of the origin.
  "a call ends at its timeout": async ({ module, setup }) => {
    const silent = new module.Redis({ url: setup.silentUrl, token: "t", timeout: 300 });
    const error = await within(10_000, rejection(silent.incr("k")));
    equal([error instanceof module.TimeoutError, error.command], [true, "INCR"]);
  },

  "arguments that can't be sent are refused": async ({ redis, key, module }) => {
    const error = await rejection(redis.set(key("k"), undefined));
    equal([error instanceof module.ArgumentError, error.outcome], [true, "unsent"]);
  },
};
