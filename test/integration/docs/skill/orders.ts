// Task: "Consume SQS messages that order one item each. Stock never goes below zero; what can't be served is put aside. A message that is
// delivered twice takes one item. Every call ends before the function does."
import { Redis } from "warmline";

const redis = Redis.fromEnv();

interface Message {
  messageId: string;
  item: string;
}

export const handler = async (
  event: { Records: Message[] },
  context: { getRemainingTimeInMillis(): number },
) => {
  const served: { id: string; stock: boolean }[] = [];
  for (const { messageId, item } of event.Records) {
    const scoped = redis.with({ deadline: context, writes: "exactly-once", scope: messageId });
    const left = await scoped.decr(`stock:${item}`);
    if (left < 0) await scoped.incr(`stock:${item}`);
    await scoped.rpush(left < 0 ? "backorders" : "orders", messageId);
    served.push({ id: messageId, stock: left >= 0 });
  }
  return served;
};
