import { Redis } from "warmline";

export default {
  async fetch(request, env, context) {
    // Created per request: Workers must not share connections between requests, and a client costs almost nothing.
    const redis = Redis.fromEnv(env);
    const page = new URL(request.url).searchParams.get("page") ?? "home";
    const [visits, last] = await redis.pipeline().incr(`visits:${page}`).get(`last:${page}`).exec();
    // Continues after the response.
    context.waitUntil(redis.set(`last:${page}`, { at: Date.now(), visits }, { ex: 3600 }));
    return Response.json({ page, visits, last });
  },
};
