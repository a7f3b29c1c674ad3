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
  async kept() {
    const [{ error }] = await redis.pipeline().lpush("text", 1).exec({ keepErrors: true });
    throw error;
  },
  async discarded() {
    await redis.multi().exec();
  },
  async raw() {
    await redis.exec(["LPUSH", "text", 1]);
  },
  async argument() {
    await redis.set("key", undefined);
  },
  async limited() {
    await redis.with({ deadline: { remaining: () => 5_000 } }).lpush("text", 1);
  },
  async timeout() {
    await silent.get("key");
  },
  async unreachable() {
    await other.get("key");
  },
  async unreachablePipeline() {
    await other.pipeline().get("key").exec();
  },
  async script() {
    await redis.createScript("return redis.call('LPUSH', KEYS[1], 1)").exec(["text"]);
  },
  async scriptByDigest() {
    await redis.createScript("return 1").evalsha();
  },
  async update() {
    await redis.with({ codec: "text" }).update("list", (value) => value);
  },
  async iterator() {
    for await (const _ of redis.hscanIterator("text"));
  },
  async subscription() {
    await other.with({ timeout: 100 }).subscribe("channel").ready;
  },
  async messages() {
    for await (const _ of other.with({ timeout: 100 }).subscribe("channel"));
  },
  async monitor() {
    for await (const _ of other.monitor());
  },
});
