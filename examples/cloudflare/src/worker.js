import { Redis } from "warmline";

export default {
  async fetch(request, env, context) {
    // Made per request: on Workers nothing may be shared between requests, and making a client costs next to nothing.
    const redis = Redis.fromEnv(env);
    const page = new URL(request.url).searchParams.get("page") ?? "home";
    const [visits, last] = await redis.pipeline().incr(`visits:${page}`).get(`last:${page}`).exec();
    // Goes on after the answer.
    context.waitUntil(redis.set(`last:${page}`, { at: Date.now(), visits }, { ex: 3600 }));
    return Response.json({ page, visits, last });
  },
};
