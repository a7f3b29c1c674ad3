import { Redis } from "warmline";

/** The example's handler with its client made inside, in every invocation. */
export const handler = async () => {
  const redis = Redis.fromEnv();
  const greeting = await redis.get<string>("greeting");
  return { statusCode: 200, body: greeting ?? "hello, stranger" };
};
