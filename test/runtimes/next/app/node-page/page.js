import { Redis } from "warmline/fetch";

const redis = Redis.fromEnv();

export default async function Page() {
  const found = await redis.get("k");
  return <p>{JSON.stringify([found, await redis.incr("node-page")])}</p>;
}
