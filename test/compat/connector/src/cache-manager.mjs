// The store of cache-manager, which makes a client of its own with ioredis 5.
import { redisStore } from "cache-manager-ioredis-yet";
import { done, options, pause } from "./connect.mjs";

const store = await redisStore(options);
await store.set("user", { name: "Ada" }, 60_000);
await store.set("short", 1, 50);
await store.mset(
  [
    ["a", 1],
    ["b", [2]],
  ],
  60_000,
);
await pause(120);
const found = {
  user: await store.get("user"),
  short: await store.get("short"),
  many: await store.mget("a", "b", "none"),
  keys: (await store.keys("*")).sort(),
};
await store.del("user");
await store.reset();
done({ ...found, after: await store.keys("*") });
