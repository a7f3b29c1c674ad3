import { UpstashRedisCache } from "@langchain/community/caches/upstash_redis";
import { UpstashRedisStore } from "@langchain/community/storage/upstash_redis";
import { UpstashRedisChatMessageHistory } from "@langchain/community/stores/message/upstash_redis";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Redis } from "@upstash/redis";

const client = Redis.fromEnv();
const bytes = (text: string) => new TextEncoder().encode(text);
const store = new UpstashRedisStore({ client, namespace: "docs", sessionTTL: 60, yieldKeysScanBatchSize: 2 });
await store.mset([
  ["a", bytes("first")],
  ["b", bytes('{"json":true}')],
  ["c", bytes("third")],
]);
const values = (await store.mget(["a", "b", "missing"])).map(
  (value) => value && new TextDecoder().decode(value),
);
const keys: string[] = [];
for await (const key of store.yieldKeys()) keys.push(key);
await store.mdelete(["a"]);

const history = new UpstashRedisChatMessageHistory({ client, sessionId: "chat", sessionTTL: 60 });
await history.addMessages([new HumanMessage("hello"), new AIMessage("good day")]);
const messages = (await history.getMessages()).map((message) => `${message.getType()}: ${message.content}`);
await history.clear();

const cache = new UpstashRedisCache({ client, ttl: 60 });
await cache.update("prompt", "model", [{ text: "answer" }]);
const cached = (await cache.lookup("prompt", "model"))?.map(({ text }) => text);
const deleted = await store.mget(["a"]);
console.log(
  JSON.stringify({ values, keys: keys.sort(), deleted, messages, left: await history.getMessages(), cached }),
);
