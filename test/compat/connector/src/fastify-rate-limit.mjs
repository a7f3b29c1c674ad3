// A limit of a fastify server.
import rateLimit from "@fastify/rate-limit";
import fastify from "fastify";
import { done, ioredis } from "./connect.mjs";

const app = fastify();
await app.register(rateLimit, { max: 2, timeWindow: "1 minute", redis: ioredis({ connectTimeout: 500 }) });
app.get("/", async () => "ok");
const statuses = [];
for (let i = 0; i < 4; i++) {
  const { statusCode, headers } = await app.inject("/");
  statuses.push([statusCode, headers["x-ratelimit-remaining"]]);
}
done({ statuses });
