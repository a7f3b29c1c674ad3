// A limit of express-rate-limit, with ioredis and with node-redis.
import express from "express";
import { rateLimit } from "express-rate-limit";
import { RedisStore } from "rate-limit-redis";
import { done, ioredis, nodeRedis } from "./connect.mjs";

const [one, other] = [ioredis(), await nodeRedis()];
const senders = {
  ioredis: (command, ...args) => one.call(command, ...args),
  "node-redis": (...args) => other.sendCommand(args),
};
const found = {};
for (const [name, sendCommand] of Object.entries(senders)) {
  const app = express();
  const store = new RedisStore({ sendCommand, prefix: `rl:${name}:` });
  app.use(rateLimit({ windowMs: 60_000, limit: 2, store, standardHeaders: "draft-8" }));
  app.get("/", (_, response) => response.json("ok"));
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const statuses = [];
  for (let i = 0; i < 4; i++)
    statuses.push((await fetch(`http://127.0.0.1:${server.address().port}/`)).status);
  found[name] = statuses;
}
done(found);
