import { Redis } from "warmline";

// Outside the handler: made once per instance, so its connection is warm from the second invocation on.
const redis = Redis.fromEnv();

export const handler = async () => {
  const greeting = await redis.get("greeting");
  return { statusCode: 200, body: greeting ?? "hello, stranger" };
};
