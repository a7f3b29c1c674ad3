import { type Pipeline, Redis, RedisError, type RedisOptions, type WarmlineError } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";

interface User extends Record<string, unknown> {
  name: string;
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
