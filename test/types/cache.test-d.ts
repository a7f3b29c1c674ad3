import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { cached } from "../../src/cache.js";
import type { Redis } from "../../src/index.js";

declare const redis: Redis;
declare const waitUntil: (promise: Promise<any>) => void;

interface User {
  name: string;
  teamId: number;
  at: Date;
}
declare function loadUser(id: string, withTeam?: boolean): Promise<User | null>;

describe("a cached function has the types of its function", () => {
  const user = cached(redis, "user", loadUser, {
    key: (id, withTeam) => {
      expectTypeOf(id).toEqualTypeOf<string>();
      expectTypeOf(withTeam).toEqualTypeOf<boolean | undefined>();
      return id;
    },
    fresh: 60,
    tags: (result, id) => {
      expectTypeOf(result).toEqualTypeOf<User | null>();
      return [`team:${result?.teamId}`, id];
    },
    waitUntil,
  });

  test("arguments and results", () => {
    expectTypeOf(user).parameters.toEqualTypeOf<[id: string, withTeam?: boolean]>();
    expectTypeOf(user("7")).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(user.delete).parameters.toEqualTypeOf<[id: string, withTeam?: boolean]>();
    expectTypeOf(user.delete("7")).toEqualTypeOf<Promise<void>>();
    expectTypeOf(user.deleteTag("team:3")).toEqualTypeOf<Promise<void>>();
    // @ts-expect-error id must be text
    user(7);
  });

  test("functions that return no promise, and take no arguments", () => {
    const all = cached(redis, "all", () => [1, 2], { key: () => "all", fresh: 1 });
    expectTypeOf(all()).toEqualTypeOf<Promise<number[]>>();
  });

  test("a client with another codec", () => {
    const bytes = {} as Redis<Uint8Array>;
    expectTypeOf(cached(bytes, "n", async () => 1, { key: () => "n", fresh: 1 })()).toEqualTypeOf<
      Promise<number>
    >();
  });
});

test("a schema must return the type of the function", () => {
  const schema = z.object({ name: z.string(), teamId: z.number(), at: z.coerce.date() });
  const user = cached(redis, "user", loadUser, { key: (id) => id, fresh: 60, schema });
  expectTypeOf(user("7")).toEqualTypeOf<Promise<User | null>>();
  // @ts-expect-error the schema returns another type
  cached(redis, "user", loadUser, { key: (id) => id, fresh: 60, schema: z.object({ name: z.number() }) });
});

test("options are required and checked", () => {
  // @ts-expect-error fresh is missing
  cached(redis, "user", loadUser, { key: (id) => id });
  // @ts-expect-error key is missing
  cached(redis, "user", loadUser, { fresh: 60 });
  // @ts-expect-error there is no such option
  cached(redis, "user", loadUser, { key: (id) => id, fresh: 60, ttl: 1 });
  // @ts-expect-error a key is text
  cached(redis, "user", loadUser, { key: () => 7, fresh: 60 });
  // @ts-expect-error a cached function is called without `this`
  cached(redis, "user", function (this: User) {}, { key: () => "all", fresh: 60 });
});
