import { Redis } from "warmline";

const redis = Redis.fromEnv();

export default async function Page() {
  const found = await redis.get("k");
  return <p>{JSON.stringify([found, await redis.incr("node-entry")])}</p>;
}
