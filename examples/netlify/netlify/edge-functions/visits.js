// By name: the bundler for edge functions would take the entry for Node, and there are no sockets at the edge.
import { Redis } from "warmline/fetch";

let redis;

export default async (request) => {
  // The environment of an edge function is Netlify's to give, and there is none while it is bundled.
  redis ??= new Redis({
    url: Netlify.env.get("WARMLINE_URL"),
    token: Netlify.env.get("WARMLINE_TOKEN"),
  });
  const page = new URL(request.url).searchParams.get("page") ?? "home";
  return Response.json({ page, visits: await redis.incr(`visits:${page}`) });
};

export const config = { path: "/edge-visits" };
