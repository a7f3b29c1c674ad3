import { Redis } from "warmline";

// Outside the handler: created once per instance, so its connection is warm from the second invocation on.
const redis = Redis.fromEnv();

export const handler = async (_event, context) => {
  // Each call ends before the function does, so that an error can still be handled.
  const greeting = await redis.with({ deadline: context }).get("greeting");
  return { statusCode: 200, body: greeting ?? "hello, stranger" };
};
