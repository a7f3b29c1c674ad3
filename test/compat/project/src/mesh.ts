import UpstashRedisCache from "@graphql-mesh/cache-upstash-redis";

const cache = new UpstashRedisCache({} as ConstructorParameters<typeof UpstashRedisCache>[0]);
await Promise.all([
  cache.set("response:1", { data: { user: { id: "1", n: 1.5 } } }, { ttl: 60 }),
  cache.set("response:2", "text"),
  cache.set("other", [1, null]),
]);
const values = await Promise.all(["response:1", "response:2", "other", "none"].map((key) => cache.get(key)));
const keys = (await cache.getKeysByPrefix("response:")).sort();
const deleted = [await cache.delete("response:1"), await cache.delete("response:1")];
console.log(JSON.stringify({ values, keys, deleted, left: (await cache.getKeysByPrefix("")).sort() }));
