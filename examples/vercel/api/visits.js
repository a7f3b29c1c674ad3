import { Redis } from "warmline";

// Outside the handler: created once per instance, so its connection is warm from the second request on.
const redis = Redis.fromEnv();

/** A function on Node.js. */
export async function GET(request) {
  const page = new URL(request.url).searchParams.get("page") ?? "home";
  return Response.json({ page, visits: await redis.incr(`visits:${page}`) });
}
