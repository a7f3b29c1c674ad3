/** Pipelines of clients with the usual method names. */
interface Mixable {
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
  incr(key: string): unknown;
  hset(key: string, fields: Record<string, unknown>): unknown;
  hgetall(key: string): unknown;
  lrange(key: string, from: number, to: number): unknown;
  expire(key: string, seconds: number): unknown;
  zadd(key: string, entry: { score: number; member: string }): unknown;
}

const MIX: readonly ((to: Mixable, key: string) => unknown)[] = [
  (to, key) => to.get(`name:${key}`),
  (to, key) => to.set(`user:${key}`, { name: "Ada", born: 1815 }),
  (to, key) => to.incr(`count:${key}`),
  (to, key) => to.hset(`hash:${key}`, { name: "Ada", born: 1815 }),
  (to, key) => to.hgetall(`hash:${key}`),
  (to, key) => to.lrange(`list:${key}`, 0, 9),
  (to, key) => to.expire(`user:${key}`, 60),
  (to, key) => to.zadd(`scores:${key}`, { score: 1, member: "Ada" }),
];

/** Adds `size` commands of several kinds to a pipeline, and returns it. */
export function mixedOn<P extends Mixable>(pipeline: P, size: number): P {
  for (let at = 0; at < size; at++) MIX[at % MIX.length]!(pipeline, String(at % 100));
  return pipeline;
}
