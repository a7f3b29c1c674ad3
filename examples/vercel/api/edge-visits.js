import { Redis } from "warmline";

/** A function on the edge runtime, for which the bundler selects the package's entry on `fetch`. */
export const config = { runtime: "edge" };

const redis = Redis.fromEnv();

export default async function handler(request) {
  const page = new URL(request.url).searchParams.get("page") ?? "home";
  return Response.json({ page, visits: await redis.incr(`visits:${page}`) });
}
