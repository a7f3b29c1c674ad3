// Items, metadata and keys by unstorage's driver for Redis.
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { done, options } from "./connect.mjs";

const storage = createStorage({ driver: redisDriver({ base: "app", ...options }) });
await storage.setItem("user:1", { name: "Ada" });
await storage.setItem("user:2", "text", { ttl: 60 });
await storage.setItemRaw("raw", "bytes");
const found = {
  one: await storage.getItem("user:1"),
  many: await storage.getItems(["user:1", "user:2"]),
  raw: String(await storage.getItemRaw("raw")),
  has: await storage.hasItem("user:2"),
  keys: (await storage.getKeys("user")).sort(),
};
await storage.removeItem("user:1");
await storage.clear();
done({ ...found, after: await storage.getKeys() });
