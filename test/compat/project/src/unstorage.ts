import { createStorage } from "unstorage";
import upstash from "unstorage/drivers/upstash";

const storage = createStorage({ driver: upstash({ base: "app", ttl: 600, scanCount: 10 }) });
await storage.setItem("user:1", { name: "Ada" });
await storage.setItem("user:2", { name: "Bob" });
await storage.setItem("plain", "text");
const before = {
  has: await storage.hasItem("user:1"),
  one: await storage.getItem("user:1"),
  missing: await storage.getItem("nobody"),
  several: (await storage.getItems(["user:1", "user:2"])).map(({ value }) => value),
  keys: (await storage.getKeys()).sort(),
  below: (await storage.getKeys("user")).sort(),
};
await storage.removeItem("user:1");
const removed = await storage.hasItem("user:1");
await storage.clear("user");
console.log(JSON.stringify({ ...before, removed, left: (await storage.getKeys()).sort() }));
