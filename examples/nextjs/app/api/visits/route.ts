import { redis } from "../../redis";

export async function GET() {
  return Response.json({ visits: await redis.get<number>("visits") });
}
