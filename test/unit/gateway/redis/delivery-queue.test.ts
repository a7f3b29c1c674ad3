import { expect, test } from "vitest";
import {
  DeliveryQueue,
  type QueuedTopic,
  type Recipient,
} from "../../../../gateway/src/redis/pubsub/delivery-queue.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A reader, what it was told, and how often it was written to. */
function reader(onWrite = () => {}): Recipient & { told: string[]; writes: number; isGone: boolean } {
  const told: string[] = [];
  const made = {
    told,
    writes: 0,
    isGone: false,
    listener: {
      onReady() {},
      onMessage(encoded: unknown) {
        made.writes++;
        onWrite();
        told.push(...String(encoded).split(";").filter(Boolean));
      },
      onGap: () => void told.push("gap"),
      onChanged: (kind: string) => void told.push(kind),
      onEnd() {},
    },
  };
  return made;
}

const topicOf = (): QueuedTopic => ({ waitingBytes: 0, gapFor: null });

const encode = (push: readonly Buffer[]) => push;

function publish(
  queue: DeliveryQueue,
  topic: QueuedTopic,
  audience: readonly Recipient[],
  text: string,
  size = 10,
) {
  queue.message(topic, audience, [Buffer.from(`${text};`)], size);
}

async function drained(budget: BufferBudget): Promise<void> {
  await expect.poll(() => budget.used, { interval: 1 }).toBe(0);
  await turn();
}

test("messages are delivered in the order in which they came, to each reader, across channels", async () => {
  const budget = new BufferBudget(1e9);
  const queue = new DeliveryQueue({ encode, waiting: budget });
  const [a, b] = [topicOf(), topicOf()];
  const [both, one] = [reader(), reader()];
  const audience = [both, one];
  const only = [both];
  publish(queue, a, audience, "a1");
  publish(queue, b, only, "b1");
  publish(queue, a, audience, "a2");
  publish(queue, a, audience, "a3");
  queue.tell(both, ({ onChanged }) => onChanged("unsubscribe", Buffer.from("a"), 0));
  expect(both.told).toEqual([]);
  await drained(budget);
  expect(both.told).toEqual(["a1", "b1", "a2", "a3", "unsubscribe"]);
  expect(one.told).toEqual(["a1", "a2", "a3"]);
  // Messages that follow each other on a channel are one write.
  expect([both.writes, one.writes]).toEqual([3, 2]);
});

test("a flood on one channel loses its own messages, with one gap for each reader, and not those of others", async () => {
  const budget = new BufferBudget(1e9);
  const queue = new DeliveryQueue({ encode, waiting: budget });
  const [flooded, other] = [topicOf(), topicOf()];
  const [both, late] = [reader(), reader()];
  const audience = [both];
  for (let i = 0; i < 50; i++) publish(queue, flooded, audience, `f${i}`, 200 * 1_024);
  publish(queue, other, [both], "o");
  // One that has come meanwhile learns of it as well.
  const audienceNow = [both, late];
  publish(queue, flooded, audienceNow, "f50", 200 * 1_024);
  await drained(budget);
  const gaps = both.told.filter((text) => text === "gap");
  expect(both.told.slice(0, 3)).toEqual(["f0", "f1", "f2"]);
  expect(both.told).toContain("o");
  expect(gaps.length).toBeLessThanOrEqual(2);
  expect(late.told).toEqual(["gap"]);
  publish(queue, flooded, audience, "again");
  await drained(budget);
  expect(both.told.at(-1)).toBe("again");
});

test("a message for which the memory for buffers has no room is a gap, and what waited is given back", async () => {
  const budget = new BufferBudget(10_000);
  const queue = new DeliveryQueue({ encode, waiting: budget });
  const topic = topicOf();
  const audience = [reader()];
  publish(queue, topic, audience, "first", 4_000);
  publish(queue, topic, audience, "lost", 4_000);
  await drained(budget);
  expect(audience[0]!.told).toEqual(["first", "gap"]);
  expect([budget.used, topic.waitingBytes]).toEqual([0, 0]);
});
