import { Redis, RedisError } from "warmline";

// What a bundle does when it is run: a command, an error, and the parts that are loaded when they are needed.
// The environment by a way that no bundler puts a constant for.
const { process: host } = globalThis;
const { env } = host;
const redis = new Redis({ url: env.WARMLINE_URL, token: env.WARMLINE_TOKEN });
const key = env.KEY;
const error = await redis.exec(["NOSUCHCOMMAND"]).catch((thrown) => thrown);
console.log(
  JSON.stringify([
    await redis.set(key, { name: "Ada" }),
    await redis.get(key),
    await redis.with({ writes: "exactly-once" }).incr(`${key}:n`),
    error instanceof RedisError,
  ]),
);
redis.close();
