import { expect } from "vitest";
import { ft } from "../../../../src/commands/modules/index.js";
import type { SearchCommands } from "../../../../src/commands/modules/search.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { Redis } from "../../../../src/index.js";

type Run = (redis: Redis) => Promise<void>;

/** An exercise on an index `books` of three hashes. */
const onBooks =
  (run: Run): Run =>
  async (redis) => {
    const schema = {
      title: { type: "TEXT", sortable: true },
      year: { type: "NUMERIC", sortable: true },
      topic: { type: "TAG" },
    } as const;
    await ft(redis).create("books", schema, { prefix: "book:" });
    await redis.hset("book:1", { title: "Red apples", year: 1999, topic: "fruit" });
    await redis.hset("book:2", { title: "Green apples", year: 2005, topic: "fruit" });
    await redis.hset("book:3", { title: "Blue whales", year: 2010, topic: "sea" });
    await run(redis);
  };

const idsOf = ({ documents }: { documents: { id: string }[] }) => documents.map(({ id }) => id).sort();

/** Exercises of each command of the module. */
const search: { readonly [Method in keyof SearchCommands<Immediate>]: Run } = {
  aggregate: onBooks(async (redis) => {
    const steps = [{ groupBy: ["@topic"], reduce: [{ function: "COUNT", as: "n" }] }];
    const { rows } = await ft(redis).aggregate("books", "*", { steps });
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ topic: "fruit", n: 2 });
  }),
  aliasadd: onBooks(async (redis) => {
    expect(await ft(redis).aliasadd("library", "books")).toBe("OK");
    expect((await ft(redis).search("library", "apples")).total).toBe(2);
  }),
  aliasdel: onBooks(async (redis) => {
    await ft(redis).aliasadd("library", "books");
    expect(await ft(redis).aliasdel("library")).toBe("OK");
    await expect(ft(redis).search("library", "apples")).rejects.toThrow(/no such index/i);
  }),
  aliasupdate: onBooks(async (redis) => {
    await ft(redis).create("others", { name: { type: "TEXT" } });
    await ft(redis).aliasadd("library", "others");
    expect(await ft(redis).aliasupdate("library", "books")).toBe("OK");
    expect((await ft(redis).search("library", "apples")).total).toBe(2);
  }),
  alter: onBooks(async (redis) => {
    expect(await ft(redis).alter("books", { author: { type: "TAG" } })).toBe("OK");
    await redis.hset("book:4", { title: "Yellow suns", author: "ada" });
    expect(idsOf(await ft(redis).search("books", "@author:{ada}"))).toEqual(["book:4"]);
  }),
  create: async (redis) => {
    expect(await ft(redis).create("i", { "$.a": { type: "TEXT", as: "a" } }, { on: "HASH" })).toBe("OK");
    await expect(ft(redis).create("i", { a: { type: "TEXT" } })).rejects.toThrow("already exists");
  },
  cursorDel: onBooks(async (redis) => {
    const { cursor } = await ft(redis).aggregate("books", "*", { load: ["@title"], cursor: { count: 1 } });
    expect(await ft(redis).cursorDel("books", cursor!)).toBe("OK");
  }),
  cursorRead: onBooks(async (redis) => {
    const first = await ft(redis).aggregate("books", "*", { load: ["@title"], cursor: { count: 1 } });
    expect(first.rows).toHaveLength(1);
    const second = await ft(redis).cursorRead("books", first.cursor!, { count: 5 });
    expect(second.rows).toHaveLength(2);
  }),
  dictadd: async (redis) => {
    expect(await ft(redis).dictadd("d", "one", "two")).toBe(2);
    await ft(redis).dictdel("d", "one", "two");
  },
  dictdel: async (redis) => {
    await ft(redis).dictadd("d", "one");
    expect(await ft(redis).dictdel("d", "one", "none")).toBe(1);
  },
  dictdump: async (redis) => {
    await ft(redis).dictadd("d", "one", "two");
    expect((await ft(redis).dictdump("d")).sort()).toEqual(["one", "two"]);
    await ft(redis).dictdel("d", "one", "two");
  },
  dropindex: onBooks(async (redis) => {
    expect(await ft(redis).dropindex("books", { dd: true })).toBe("OK");
    expect(await redis.exists("book:1")).toBe(0);
  }),
  explain: onBooks(async (redis) => {
    expect(await ft(redis).explain("books", "@year:[2000 2010]")).toContain("NUMERIC");
  }),
  explaincli: onBooks(async (redis) => {
    expect((await ft(redis).explaincli("books", "@year:[2000 2010]")).join()).toContain("NUMERIC");
  }),
  info: onBooks(async (redis) => {
    const facts: Record<string, unknown> = await ft(redis).info("books");
    expect(facts).toMatchObject({ index_name: "books" });
    expect(Number(facts.num_docs)).toBe(3);
  }),
  profile: onBooks(async (redis) => {
    const [found, profile] = await ft(redis).profile("books", "SEARCH", "apples");
    expect((found as unknown[])[0]).toBe(2);
    expect(JSON.stringify(profile)).toContain("Iterators profile");
  }),
  search: onBooks(async (redis) => {
    const found = await ft(redis).search("books", "@year:[2000 +inf]", { sortBy: { field: "year" } });
    expect(found.total).toBe(2);
    expect(idsOf(found)).toEqual(["book:2", "book:3"]);
    expect(idsOf(await ft(redis).search("books", "apples", { noContent: true }))).toEqual([
      "book:1",
      "book:2",
    ]);
    expect(found.documents.find(({ id }) => id === "book:3")!.fields).toEqual({
      title: "Blue whales",
      year: 2010,
      topic: "sea",
    });
  }),
  spellcheck: onBooks(async (redis) => {
    const { aples } = await ft(redis).spellcheck("books", "aples");
    expect(aples!.map(([, word]) => word)).toContain("apples");
  }),
  sugadd: async (redis) => {
    expect([await ft(redis).sugadd("k", "hello", 1), await ft(redis).sugadd("k", "help", 2)]).toEqual([1, 2]);
  },
  sugdel: async (redis) => {
    await ft(redis).sugadd("k", "hello", 1);
    expect([await ft(redis).sugdel("k", "hello"), await ft(redis).sugdel("k", "hello")]).toEqual([1, 0]);
  },
  sugget: async (redis) => {
    await ft(redis).sugadd("k", "hello", 1);
    await ft(redis).sugadd("k", "help", 2);
    expect(await ft(redis).sugget("k", "hel")).toEqual(["help", "hello"]);
    expect(await ft(redis).sugget("none", "hel")).toBeNull();
  },
  suglen: async (redis) => {
    await ft(redis).sugadd("k", "hello", 1);
    expect([await ft(redis).suglen("k"), await ft(redis).suglen("none")]).toEqual([1, 0]);
  },
  syndump: onBooks(async (redis) => {
    await ft(redis).synupdate("books", "g", ["red", "crimson"]);
    expect(await ft(redis).syndump("books")).toEqual({ red: ["g"], crimson: ["g"] });
  }),
  synupdate: onBooks(async (redis) => {
    expect(await ft(redis).synupdate("books", "g", ["red", "crimson"])).toBe("OK");
    await redis.hset("book:5", { title: "Red suns" });
    expect(idsOf(await ft(redis).search("books", "crimson"))).toContain("book:5");
  }),
  tagvals: onBooks(async (redis) => {
    expect((await ft(redis).tagvals("books", "topic")).sort()).toEqual(["fruit", "sea"]);
  }),
};

/** The exercises that RediSearch 2.10 runs, by the method's name, such as `ft.search`. */
export const searchExercises: Record<string, Run> = Object.fromEntries(
  Object.entries(search).map(([method, run]) => [`ft.${method}`, run]),
);
