import type { Endpoint } from "../../bench-client.js";

/** The operations that a client repeats. `size` is a number of commands, or of bytes. */
export interface Work {
  /** One GET of a short value, with what the client does by itself to commands of one turn. */
  get(): Promise<unknown>;
  /** One GET in a request of its own. */
  alone(): Promise<unknown>;
  /** One GET with a newly created client. */
  recreated(): Promise<unknown>;
  /** GET of a JSON document of `size` bytes, mostly text. */
  json(size: number): Promise<unknown>;
  /** GET of a JSON document of `size` bytes, mostly numbers with many digits. */
  numbers(size: number): Promise<unknown>;
  /** GET of `size` bytes that are not parsed. */
  bytes(size: number): Promise<unknown>;
  /** A pipeline of `size` commands of several kinds. */
  mixed(size: number): Promise<unknown>;
}

/** A module of `clients/` exports this. A floor may lack what it has no counterpart for. */
export type OpenClient = (endpoint: Endpoint) => Work;

/** The commands of a mixed pipeline, on any client with the methods' usual names. */
export function mixedOn<P extends Mixable>(pipeline: P, size: number): P {
  for (let at = 0; at < size; at++) MIX[at % MIX.length]!(pipeline, String(at % 100));
  return pipeline;
}

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
