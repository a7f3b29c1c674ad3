import { Redis } from "warmline/fetch";

export const runtime = "edge";
// What each request says of itself comes first.
export const fetchCache = "default-cache";

const redis = Redis.fromEnv();

export default async function Page() {
  const found = await redis.get("k");
  return <p>{JSON.stringify([found, await redis.incr("edge-page")])}</p>;
}
