import type { Redis } from "warmline";

/**
 * Returns calls that reject. The stack of each error should begin with the name of the call's function.
 * @param down a client of an endpoint that is down.
 * @param silent a client of an endpoint that never responds.
 */
export const calls = (redis: Redis, down: Redis, silent: Redis): Record<string, () => Promise<unknown>> => ({
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
    await down.get("key");
  },
  async script() {
    await redis.createScript("return redis.call('LPUSH', KEYS[1], 1)").exec(["text"]);
  },
  async iterator() {
    for await (const _ of redis.hscanIterator("text"));
  },
  async subscription() {
    await down.with({ timeout: 100 }).subscribe("channel").ready;
  },
  async monitor() {
    for await (const _ of down.monitor());
  },
});
