// Values with a time to live, several at once, by namespace.
import KeyvRedis from "@keyv/redis";
import Keyv from "keyv";
import { done, nodeRedis, pause } from "./connect.mjs";

const keyv = new Keyv({ store: new KeyvRedis(await nodeRedis()), namespace: "app" });
await keyv.set("user", { name: "Ada", tags: ["a", "b"] });
await keyv.set("short", 1, 50);
await pause(120);
const found = {
  user: await keyv.get("user"),
  short: await keyv.get("short"),
  has: await keyv.has("user"),
  many: await keyv.get(["user", "none"]),
  deleted: await keyv.delete("user"),
};
await keyv.set("a", 1);
await keyv.clear();
done({ ...found, cleared: await keyv.get("a") });
