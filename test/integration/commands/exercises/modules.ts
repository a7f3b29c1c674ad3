import { expect } from "vitest";
import type { BloomCommands } from "../../../../src/commands/modules/bloom.js";
import type { CuckooCommands } from "../../../../src/commands/modules/cuckoo.js";
import { bf, cf, cms, tdigest, topk } from "../../../../src/commands/modules/index.js";
import type {
  CountMinCommands,
  TDigestCommands,
  TopKCommands,
} from "../../../../src/commands/modules/sketches.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { Redis } from "../../../../src/index.js";

type Run = (redis: Redis) => Promise<void>;

/** Exercises of a module's commands, on RedisBloom 2.8. */
type ModuleExercises<Group> = { readonly [Method in keyof Group]: Run };

const bloom: ModuleExercises<BloomCommands<Immediate>> = {
  add: async (redis) => {
    expect([await bf(redis).add("k", { a: 1 }), await bf(redis).add("k", { a: 1 })]).toEqual([1, 0]);
  },
  card: async (redis) => {
    await bf(redis).madd("k", "a", "b");
    expect([await bf(redis).card("k"), await bf(redis).card("none")]).toEqual([2, 0]);
  },
  exists: async (redis) => {
    await bf(redis).add("k", "x");
    expect([await bf(redis).exists("k", "x"), await bf(redis).exists("k", "y")]).toEqual([1, 0]);
  },
  info: async (redis) => {
    await bf(redis).reserve("k", 0.01, 100);
    expect(await bf(redis).info("k")).toMatchObject({ Capacity: 100, "Number of items inserted": 0 });
  },
  insert: async (redis) => {
    const options = { capacity: 100, error: 0.001, expansion: 2 };
    expect(await bf(redis).insert("k", options, "x", "y", "x")).toEqual([1, 1, 0]);
    expect((await bf(redis).info("k")).Capacity).toBe(100);
    await expect(bf(redis).insert("none", { noCreate: true }, "x")).rejects.toThrow("not found");
  },
  loadchunk: async (redis) => {
    await bf(redis).madd("k", "a", "b");
    for (let at = 0; ; ) {
      const [next, data] = await bf(redis).scandump("k", at);
      if (next === 0) break;
      expect(await bf(redis).loadchunk("copy", next, data)).toBe("OK");
      at = next;
    }
    expect(await bf(redis).mexists("copy", "a", "b", "c")).toEqual([1, 1, 0]);
  },
  madd: async (redis) => {
    await bf(redis).reserve("k", 0.01, 1, { nonScaling: true });
    const [first, second] = await bf(redis).madd("k", "a", "b");
    expect(first).toBe(1);
    expect(second).toBeInstanceOf(Error);
  },
  mexists: async (redis) => {
    await bf(redis).madd<unknown>("k", 1, [2]);
    expect(await bf(redis).mexists<unknown>("k", 1, [2], 3)).toEqual([1, 1, 0]);
  },
  reserve: async (redis) => {
    expect(await bf(redis).reserve("k", 0.01, 100, { expansion: 4 })).toBe("OK");
    expect((await bf(redis).info("k"))["Expansion rate"]).toBe(4);
    await expect(bf(redis).reserve("k", 0.01, 100)).rejects.toThrow("exists");
  },
  scandump: async (redis) => {
    await bf(redis).add("k", "a");
    const [next, data] = await bf(redis).scandump("k", 0);
    expect(next).toBe(1);
    expect(data).toBeInstanceOf(Uint8Array);
    expect((await bf(redis).scandump("k", 2 ** 31))[0]).toBe(0);
  },
};

const cuckoo: ModuleExercises<CuckooCommands<Immediate>> = {
  add: async (redis) => {
    expect([await cf(redis).add("k", 1), await cf(redis).add("k", 1)]).toEqual([1, 1]);
  },
  addnx: async (redis) => {
    expect([await cf(redis).addnx("k", "a"), await cf(redis).addnx("k", "a")]).toEqual([1, 0]);
  },
  compact: async (redis) => {
    await cf(redis).add("k", 1);
    expect(await cf(redis).compact("k")).toBe("OK");
  },
  count: async (redis) => {
    await cf(redis).insert("k", {}, "a", "a");
    expect([await cf(redis).count("k", "a"), await cf(redis).count("k", "b")]).toEqual([2, 0]);
  },
  del: async (redis) => {
    await cf(redis).add("k", "a");
    expect([await cf(redis).del("k", "a"), await cf(redis).del("k", "a")]).toEqual([1, 0]);
  },
  exists: async (redis) => {
    await cf(redis).add("k", { a: 1 });
    expect([await cf(redis).exists("k", { a: 1 }), await cf(redis).exists("k", "x")]).toEqual([1, 0]);
  },
  info: async (redis) => {
    await cf(redis).add("k", "a");
    expect(await cf(redis).info("k")).toMatchObject({ "Number of items inserted": 1, "Bucket size": 2 });
  },
  insert: async (redis) => {
    expect(await cf(redis).insert("k", { capacity: 10 }, "a", "a")).toEqual([1, 1]);
    await expect(cf(redis).insert("none", { noCreate: true }, "a")).rejects.toThrow("not found");
  },
  insertnx: async (redis) => {
    expect(await cf(redis).insertnx("k", { capacity: 10 }, "a", "a")).toEqual([1, 0]);
  },
  loadchunk: async (redis) => {
    await cf(redis).insert("k", {}, "a", "b");
    for (let at = 0; ; ) {
      const [next, data] = await cf(redis).scandump("k", at);
      if (next === 0) break;
      expect(await cf(redis).loadchunk("copy", next, data)).toBe("OK");
      at = next;
    }
    expect(await cf(redis).mexists("copy", "a", "b", "c")).toEqual([1, 1, 0]);
  },
  mexists: async (redis) => {
    await cf(redis).add("k", 1);
    expect(await cf(redis).mexists("k", 1, 2)).toEqual([1, 0]);
  },
  reserve: async (redis) => {
    const options = { bucketSize: 4, maxIterations: 30, expansion: 2 };
    expect(await cf(redis).reserve("k", 100, options)).toBe("OK");
    expect(await cf(redis).info("k")).toMatchObject({
      "Bucket size": 4,
      "Max iterations": 30,
      "Expansion rate": 2,
    });
  },
  scandump: async (redis) => {
    await cf(redis).add("k", "a");
    const [next, data] = await cf(redis).scandump("k", 0);
    expect(next).toBe(1);
    expect(data).toBeInstanceOf(Uint8Array);
  },
};

const countMin: ModuleExercises<CountMinCommands<Immediate>> = {
  incrby: async (redis) => {
    await cms(redis).initbydim("k", 2_000, 5);
    expect(await cms(redis).incrby("k", { a: 1, b: 2 })).toEqual([1, 2]);
    expect(await cms(redis).incrby("k", { a: 4 })).toEqual([5]);
  },
  info: async (redis) => {
    await cms(redis).initbydim("k", 2_000, 5);
    expect(await cms(redis).info("k")).toEqual({ width: 2_000, depth: 5, count: 0 });
  },
  initbydim: async (redis) => {
    expect(await cms(redis).initbydim("k", 10, 2)).toBe("OK");
  },
  initbyprob: async (redis) => {
    expect(await cms(redis).initbyprob("k", 0.001, 0.01)).toBe("OK");
    expect((await cms(redis).info("k")).width).toBe(2_000);
  },
  merge: async (redis) => {
    for (const key of ["a", "b", "d"]) await cms(redis).initbydim(key, 100, 5);
    await cms(redis).incrby("a", { x: 1 });
    await cms(redis).incrby("b", { x: 2 });
    expect(await cms(redis).merge("d", ["a", "b"])).toBe("OK");
    expect(await cms(redis).query("d", "x")).toEqual([3]);
    expect(await cms(redis).merge("d", ["a", "b"], { weights: [10, 1] })).toBe("OK");
    expect(await cms(redis).query("d", "x")).toEqual([12]);
  },
  query: async (redis) => {
    await cms(redis).initbydim("k", 100, 5);
    expect(await cms(redis).query("k", "a", "b")).toEqual([0, 0]);
  },
};

const topK: ModuleExercises<TopKCommands<Immediate>> = {
  add: async (redis) => {
    await topk(redis).reserve("k", 1, 50, 3, 0.9);
    expect(await topk(redis).add("k", "a")).toEqual([null]);
    expect(await topk(redis).add("k", "b", "b")).toEqual(["a", null]);
  },
  count: async (redis) => {
    await topk(redis).reserve("k", 5);
    await topk(redis).add("k", "a", "a", "b");
    expect(await topk(redis).count("k", "a", "b", "c")).toEqual([2, 1, 0]);
  },
  incrby: async (redis) => {
    await topk(redis).reserve("k", 5);
    expect(await topk(redis).incrby("k", { a: 3, b: 1 })).toEqual([null, null]);
    expect(await topk(redis).count("k", "a")).toEqual([3]);
  },
  info: async (redis) => {
    await topk(redis).reserve("k", 50, 2_000, 7, 0.925);
    expect(await topk(redis).info("k")).toMatchObject({ k: 50, width: 2_000, depth: 7 });
  },
  list: async (redis) => {
    await topk(redis).reserve("k", 3);
    await topk(redis).incrby("k", { a: 3, 7: 5 });
    expect(await topk(redis).list("k")).toEqual([7, "a"]);
    expect(await topk(redis).list("k", true)).toEqual([7, 5, "a", 3]);
  },
  query: async (redis) => {
    await topk(redis).reserve("k", 3);
    await topk(redis).add("k", "a");
    expect(await topk(redis).query("k", "a", "b")).toEqual([1, 0]);
  },
  reserve: async (redis) => {
    expect(await topk(redis).reserve("k", 3)).toBe("OK");
    expect(await topk(redis).reserve("l", 3, 8, 7, 0.9)).toBe("OK");
  },
};

const onDigest =
  (run: Run): Run =>
  async (redis) => {
    await tdigest(redis).create("k");
    await tdigest(redis).add("k", 1, 2, 3, 4, 5.5);
    await run(redis);
  };

const tDigest: ModuleExercises<TDigestCommands<Immediate>> = {
  add: onDigest(async (redis) => {
    expect(await tdigest(redis).add("k", -1, 0.5)).toBe("OK");
    expect(await tdigest(redis).min("k")).toBe(-1);
  }),
  byrank: onDigest(async (redis) => {
    expect(await tdigest(redis).byrank("k", 0, 4, 9)).toEqual([1, 5.5, Number.POSITIVE_INFINITY]);
  }),
  byrevrank: onDigest(async (redis) => {
    expect(await tdigest(redis).byrevrank("k", 0, 4, 9)).toEqual([5.5, 1, Number.NEGATIVE_INFINITY]);
  }),
  cdf: onDigest(async (redis) => {
    expect(await tdigest(redis).cdf("k", 0, 3, 9)).toEqual([0, 0.5, 1]);
  }),
  create: async (redis) => {
    expect(await tdigest(redis).create("k", { compression: 200 })).toBe("OK");
    expect((await tdigest(redis).info("k")).Compression).toBe(200);
  },
  info: onDigest(async (redis) => {
    expect(await tdigest(redis).info("k")).toMatchObject({ Compression: 100, Observations: 5 });
  }),
  max: onDigest(async (redis) => {
    expect(await tdigest(redis).max("k")).toBe(5.5);
    await tdigest(redis).reset("k");
    expect(await tdigest(redis).max("k")).toBeNaN();
  }),
  merge: onDigest(async (redis) => {
    await tdigest(redis).create("b");
    await tdigest(redis).add("b", 100);
    expect(await tdigest(redis).merge("d", ["k", "b"], { compression: 50 })).toBe("OK");
    expect(await tdigest(redis).max("d")).toBe(100);
    expect(await tdigest(redis).merge("d", ["k"], { override: true })).toBe("OK");
    expect(await tdigest(redis).max("d")).toBe(5.5);
  }),
  min: onDigest(async (redis) => {
    expect(await tdigest(redis).min("k")).toBe(1);
  }),
  quantile: onDigest(async (redis) => {
    expect(await tdigest(redis).quantile("k", 0, 0.5, 1)).toEqual([1, 3, 5.5]);
  }),
  rank: onDigest(async (redis) => {
    expect(await tdigest(redis).rank("k", 0, 3, 9)).toEqual([-1, 2, 5]);
  }),
  reset: onDigest(async (redis) => {
    expect(await tdigest(redis).reset("k")).toBe("OK");
    expect((await tdigest(redis).info("k")).Observations).toBe(0);
  }),
  revrank: onDigest(async (redis) => {
    expect(await tdigest(redis).revrank("k", 0, 3, 9)).toEqual([5, 2, -1]);
  }),
  trimmedMean: onDigest(async (redis) => {
    expect(await tdigest(redis).trimmedMean("k", 0.2, 0.8)).toBe(3);
  }),
};

const groups = { bf: bloom, cf: cuckoo, cms: countMin, topk: topK, tdigest: tDigest };

/** The exercises that RedisBloom 2.8 runs, by the method's name, such as `bf.add`. */
export const bloomExercises: Record<string, Run> = Object.fromEntries(
  Object.entries(groups).flatMap(([group, methods]) =>
    Object.entries(methods).map(([method, run]: [string, Run]) => [`${group}.${method}`, run]),
  ),
);
