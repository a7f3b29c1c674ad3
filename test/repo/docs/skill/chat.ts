// Task: "Store the response of a model while it arrives, so that a page that reloads continues where it was. A flag that is read in each
// request selects the model, without a round trip each time. The user pays once per question, even if the request comes twice."
import { Redis } from "warmline";
import { idempotent } from "warmline/idempotent";
import { near } from "warmline/near";
import { follow, produce } from "warmline/streams";

const redis = Redis.fromEnv({ near: near({ match: ["flag:*"], maxStale: 2_000 }) });
const texts = Redis.fromEnv({ codec: "text" });

export const pay = (question: string, user: string) =>
  idempotent(redis, `paid:${question}`, (guarded) => guarded.decr(`credit:${user}`));

export async function answer(question: string, ask: (model: string) => AsyncIterable<string>): Promise<void> {
  const model = (await redis.get<string>("flag:model")) ?? "small";
  const writer = produce(texts, `answer:${question}`, { ttl: 3_600 }).getWriter();
  for await (const text of ask(model)) await writer.write({ text });
  await writer.close();
}

export async function* read(question: string, from = "0-0"): AsyncGenerator<{ id: string; text: string }> {
  for await (const { id, fields } of follow(texts, `answer:${question}`, { from }))
    yield { id, text: fields.text ?? "" };
}
