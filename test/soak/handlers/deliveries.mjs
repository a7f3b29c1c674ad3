import { Redis } from "warmline";
import { follow } from "warmline/streams";

const redis = Redis.fromEnv(JSON.parse(process.env.CLIENT ?? "{}"));

/** Handles an event under its id as scope, or follows a stream to its end. */
export async function handler({ event, key }) {
  if (key) {
    const values = [];
    for await (const { fields } of follow(redis, key)) values.push(fields.n);
    return values;
  }
  const scoped = redis.with({ writes: "exactly-once", scope: event });
  const place = await scoped.incr("events");
  const [length, field] = await Promise.all([
    scoped.rpush("handled", event),
    scoped.hincrby("places", String(place), 1),
  ]);
  const results = await scoped.multi().incrby("sum", place).get("sum").exec();
  const piped = await scoped.pipeline().sadd("seen", event).append("log", `${event};`).exec();
  return [place, length, field, ...results, ...piped];
}
