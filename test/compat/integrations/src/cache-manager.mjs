// Values with a time to live, several at once, a value that is computed once.

import { done } from "./done.mjs";
import { cache } from "./recipes/cache-manager.mjs";

await cache.set("user", { name: "Ada" }, 60_000);
await cache.set("short", 1, 50);
await cache.mset([
  { key: "a", value: 1 },
  { key: "b", value: [2] },
]);
await new Promise((resolve) => setTimeout(resolve, 120));
let computed = 0;
const compute = async () => ++computed;
const found = {
  user: await cache.get("user"),
  short: (await cache.get("short")) ?? null,
  many: await cache.mget(["a", "b"]),
  wrapped: [await cache.wrap("n", compute), await cache.wrap("n", compute)],
};
await cache.del("user");
const deleted = (await cache.get("user")) ?? null;
await cache.clear();
done({ ...found, deleted, cleared: (await cache.get("a")) ?? null });
