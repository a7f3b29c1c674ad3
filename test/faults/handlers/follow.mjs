import { Redis } from "warmline";
import { follow } from "warmline/streams";

const redis = Redis.fromEnv();

/** Follows a stream until its end. Returns the values of the field `n`. */
export async function handler(key) {
  const values = [];
  for await (const { fields } of follow(redis, key)) values.push(fields.n);
  return values;
}
