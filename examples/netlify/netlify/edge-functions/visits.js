// By name: the bundler of edge functions would select the entry for Node, which needs sockets.
import { Redis } from "warmline/fetch";

let redis;

export default async (request) => {
  // At the first request: the variables are not available while the function is bundled.
  redis ??= new Redis({
    url: Netlify.env.get("WARMLINE_URL"),
    token: Netlify.env.get("WARMLINE_TOKEN"),
  });
  const page = new URL(request.url).searchParams.get("page") ?? "home";
  return Response.json({ page, visits: await redis.incr(`visits:${page}`) });
};

export const config = { path: "/edge-visits" };
