import type { Redis } from "warmline";

/**
 * Returns calls that are rejected, each from a function of its own, by the function's name.
 * @param other a client of an endpoint that can't be reached.
 * @param silent a client of one that never responds.
 */
export const calls = (redis: Redis, other: Redis, silent: Redis): Record<string, () => Promise<unknown>> => ({
  async single() {
    await redis.lpush("text", 1);
  },
  async together() {
    await Promise.all([redis.get("text"), redis.lpush("text", 1)]);
  },
  async pipeline() {
    await redis.pipeline().get("text").lpush("text", 1).exec();
  },
  async transaction() {
    await redis.multi().get("text").lpush("text", 1).exec();
  },
  async raw() {
    await redis.exec(["LPUSH", "text", 1]);
  },
  async argument() {
    await redis.set("key", undefined);
  },
  async timeout() {
    await silent.get("key");
  },
  async unreachable() {
    await other.get("key");
  },
  async script() {
    await redis.createScript("return redis.call('LPUSH', KEYS[1], 1)").exec(["text"]);
  },
  async iterator() {
    for await (const _ of redis.hscanIterator("text"));
  },
  async subscription() {
    await other.with({ timeout: 100 }).subscribe("channel").ready;
  },
  async monitor() {
    for await (const _ of other.monitor());
  },
});
