import { RedisResult, RedisValue } from "js-redis-server/core";

export const bulkValue = (value: Buffer | string | null): RedisValue =>
  RedisValue.bulkString(typeof value === "string" ? Buffer.from(value) : value);
export const bulk = (value: Buffer | string | null): RedisResult => RedisResult.create(bulkValue(value));
export const integer = (value: number): RedisResult => RedisResult.create(RedisValue.integer(value));
export const array = (items: RedisValue[]): RedisResult => RedisResult.create(RedisValue.array(items));
