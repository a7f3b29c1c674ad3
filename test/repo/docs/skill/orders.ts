// Task: "Consume SQS messages that order one item each. Stock never goes below zero; what can't be served is put aside. A message that is
// delivered twice takes one item. Every call ends before the function does."
import { Redis } from "warmline";

const redis = Redis.fromEnv();

interface Message {
  messageId: string;
  item: string;
}

// KEYS: the stock, the result of the message, both lists. A second run for a message has the effect of one.
const TAKE = `
local result = redis.call("GET", KEYS[2])
if result then return tonumber(result) end
local served = tonumber(redis.call("GET", KEYS[1]) or "0") > 0
if served then redis.call("DECR", KEYS[1]) end
redis.call("RPUSH", served and KEYS[3] or KEYS[4], ARGV[1])
redis.call("SET", KEYS[2], served and 1 or 0, "EX", 86400)
return served and 1 or 0`;

export const handler = async (
  event: { Records: Message[] },
  context: { getRemainingTimeInMillis(): number },
) => {
  const take = redis.with({ deadline: context, writes: "at-least-once" }).createScript<number>(TAKE);
  const served: { id: string; stock: boolean }[] = [];
  for (const { messageId, item } of event.Records) {
    const keys = [`stock:${item}`, `message:${messageId}`, "orders", "backorders"];
    served.push({ id: messageId, stock: (await take.exec(keys, [messageId])) === 1 });
  }
  return served;
};
