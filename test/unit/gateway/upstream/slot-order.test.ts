import fc from "fast-check";
import { expect, it } from "vitest";
import { SlotOrder } from "../../../../gateway/src/upstream/cluster/slot-order.js";
import type { Task } from "../../../../gateway/src/upstream/cluster/task.js";

let looks = 0;

/** What of a task has a part in the order; how often its state is looked at is counted. */
class Fake {
  place = -1;
  executed = false;
  doubtful = false;
  readonly way: { repeatable: boolean; slot: number };
  now: Task["state"] = "due";

  constructor(repeatable: boolean) {
    this.way = { repeatable, slot: 1 };
  }

  get state(): Task["state"] {
    looks++;
    return this.now;
  }
}

function orderOf(tasks: readonly Fake[]): SlotOrder {
  const order = new SlotOrder();
  for (const task of tasks) order.add(task as unknown as Task);
  return order;
}

/** What {@link SlotOrder} is to say, by looking at every task. */
function model(tasks: readonly Fake[], task: Fake) {
  const conflicts = (other: Fake) => !(other.way.repeatable && task.way.repeatable);
  const earlier = tasks.slice(0, task.place);
  const later = tasks.slice(task.place + 1).filter(conflicts);
  return {
    behind: earlier.some((other) => other.now === "parked" && conflicts(other)),
    inDoubt: earlier.some((other) => other.doubtful),
    overtaken: later.some((other) => other.executed)
      ? "executed"
      : later.some((other) => other.now === "sent")
        ? "sent"
        : "no",
  };
}

it("it says of every task what looking at all of them says, whatever has happened", () => {
  const moves = fc.array(
    fc.tuple(fc.nat(11), fc.constantFrom("park", "send", "execute", "doubt", "settle")),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      moves,
      fc.nat(60),
      (reads, all, from) => {
        const tasks = reads.map((repeatable) => new Fake(repeatable));
        let order: SlotOrder | null = null;
        for (const [i, [at, move]] of all.entries()) {
          if (i === from) order = orderOf(tasks);
          const task = tasks[at % tasks.length]!;
          const given = task as unknown as Task;
          if (move === "park") {
            task.now = "parked";
            order?.parked(given);
          } else if (move === "send") {
            task.now = "sent";
            order?.sent(given);
          } else if (move === "settle") task.now = "done";
          else {
            task.executed = true;
            order?.executed(given);
            if (move === "doubt") {
              task.doubtful = true;
              order?.doubtful(given);
            }
          }
          if (!order) continue;
          for (const each of tasks) {
            const one = each as unknown as Task;
            expect({
              behind: order.isBehind(one),
              inDoubt: order.isInDoubt(one),
              overtaken: order.overtaken(one),
            }).toEqual(model(tasks, each));
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

it.each([
  ["writes", () => false],
  ["reads", () => true],
  ["reads and writes", (i: number) => i % 2 === 0],
])("ten thousand %s that all have to be sent again are not searched for each of them", (_, isRead) => {
  const tasks = Array.from({ length: 10_000 }, (_each, i) => new Fake(isRead(i)));
  const order = orderOf(tasks);
  looks = 0;
  for (let round = 0; round < 3; round++) {
    for (const task of tasks) {
      order.isBehind(task as unknown as Task);
      task.now = "parked";
      order.parked(task as unknown as Task);
    }
    for (const task of tasks) {
      expect(order.isBehind(task as unknown as Task)).toBe(false);
      expect(order.overtaken(task as unknown as Task)).toBe("no");
      task.now = "sent";
      order.sent(task as unknown as Task);
    }
  }
  expect(looks).toBeLessThan(40 * tasks.length);
});
