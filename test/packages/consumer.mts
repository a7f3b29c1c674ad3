import { type Pipeline, Redis, RedisError, type RedisOptions, type WarmlineError } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";

interface User extends Record<string, unknown> {
  name: string;
}

/** An interface without an index signature. */
interface Profile {
  name: string;
  age: number;
}

const options: RedisOptions = { url: "https://example.com", token: "t", timeout: 1000 };
export const redis: Redis = new Redis(options);
export const other: FetchRedis = new FetchRedis(options);

export async function use(): Promise<string | undefined> {
  const user: User | null = await redis.get("user");
  const fields = await redis.hgetall<User>("user");
  const [count, again, kept] = await redis
    .pipeline()
    .incr("n")
    .get<User>("user")
    .json.get<User[]>("d", "$")
    .exec();
  const sum: number = count + (await redis.zcard("z"));
  const profile: Profile | null = await redis.hgetall<Profile>("p");
  const known: Profile | null = await redis.hmget<Profile>("p", "name", "age");
  const set: "OK" = await redis.set("k", profile ?? known, { ex: 60 });
  const locked: "OK" | null = await redis.set("k", set, { nx: true });
  const image: Uint8Array | null = await redis.with({ codec: "bytes" }).get("image");
  const scored: (string | number)[] = await redis.zrange("z", 0, -1, { withScores: true });
  const many: string[] = await redis.spop<string>("s", scored.length);
  await redis.zadd("z", { nx: true }, { score: image?.length ?? 0, member: locked ?? many[0] });
  const named: (string | number)[] = await redis.zrange<string[]>("z", 0, -1, { withScores: true });
  const users: (User | null)[] = await redis.mget<User>("a", "b");
  const store = <T,>(value: T) => redis.set("k", value, { ex: named.length + users.length });
  await store(user);
  // @ts-expect-error an await is missing
  await redis.set("k", redis.get("other"));
  // @ts-expect-error what may be undefined
  await redis.set("k", user?.name);
  // @ts-expect-error a Map
  await redis.hset("h", { a: new Map() });
  // @ts-expect-error a function
  await redis.lpush("l", () => 1);
  // @ts-expect-error keys are missing
  await redis.del();
  // @ts-expect-error two times to live
  await redis.set("k", 1, { ex: 1, px: 1 });
  // @ts-expect-error an unknown option beside a known one
  await redis.set("k", 1, { nx: true, exx: 1 });
  const batch: Pipeline = redis.multi();
  batch.set("k", sum);
  // @ts-expect-error a count is a number
  const wrong: string = count;
  // @ts-expect-error the value is missing
  await redis.set("k");
  // @ts-expect-error there is no such option
  await redis.set("k", 1, { never: true });
  for await (const key of redis.scanIterator({ match: "user:*" })) key.toUpperCase();
  const { get } = redis.with({ timeout: 10 });
  await get("k").catch((error: WarmlineError) => (error instanceof RedisError ? error.code : error.outcome));
  return user?.name ?? fields?.name ?? again?.name ?? kept?.[0]?.name ?? wrong;
}

export class Store extends Redis {
  user(id: string): Promise<User | null> {
    return this.get<User>(`user:${id}`);
  }
}
