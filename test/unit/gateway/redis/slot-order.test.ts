import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClusterCommand } from "../../../../gateway/src/redis/cluster/cluster-command.js";
import { SlotOrder } from "../../../../gateway/src/redis/cluster/slot-order.js";
import { scaled } from "../../../support/random-tests.js";

let looks = 0;

/** The fields of a command that matter for the order; reads of its state are counted. */
class Fake {
  place = -1;
  executed = false;
  outcomeUnknown = false;
  readonly hint: { repeatable: boolean; slot: number };
  now: ClusterCommand["state"] = "due";

  constructor(repeatable: boolean) {
    this.hint = { repeatable, slot: 1 };
  }

  get state(): ClusterCommand["state"] {
    looks++;
    return this.now;
  }
}

function orderOf(commands: readonly Fake[]): SlotOrder {
  const order = new SlotOrder();
  for (const command of commands) order.add(command as unknown as ClusterCommand);
  return order;
}

/** The expected result of {@link SlotOrder}, by a scan of every command. */
function model(commands: readonly Fake[], command: Fake) {
  const conflicts = (other: Fake) => !(other.hint.repeatable && command.hint.repeatable);
  const earlier = commands.slice(0, command.place);
  const later = commands.slice(command.place + 1).filter(conflicts);
  return {
    behind: earlier.some((other) => other.now === "parked" && conflicts(other)),
    afterUnknown: earlier.some((other) => other.outcomeUnknown),
    overtaken: later.some((other) => other.executed)
      ? "executed"
      : later.some((other) => other.now === "sent")
        ? "sent"
        : "no",
  };
}

test("the slot order gives the same result as a full scan, in every state", () => {
  const moves = fc.array(
    fc.tuple(fc.nat(11), fc.constantFrom("park", "send", "execute", "doubt", "settle")),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      moves,
      fc.nat(60),
      (reads, all, from) => {
        const commands = reads.map((repeatable) => new Fake(repeatable));
        let order: SlotOrder | null = null;
        for (const [i, [at, move]] of all.entries()) {
          if (i === from % all.length) order = orderOf(commands);
          const command = commands[at % commands.length]!;
          const given = command as unknown as ClusterCommand;
          if (move === "park") {
            command.now = "parked";
            order?.parked(given);
          } else if (move === "send") {
            command.now = "sent";
            order?.sent(given);
          } else if (move === "settle") command.now = "done";
          else {
            command.executed = true;
            order?.executed(given);
            if (move === "doubt") {
              command.outcomeUnknown = true;
              order?.markUnknown(given);
            }
          }
          if (!order) continue;
          for (const each of commands) {
            const one = each as unknown as ClusterCommand;
            expect({
              behind: order.isBehind(one),
              afterUnknown: order.isAfterUnknown(one),
              overtaken: order.overtaken(one),
            }).toEqual(model(commands, each));
          }
        }
      },
    ),
    { numRuns: scaled(500) },
  );
});

test.each([
  ["writes", () => false],
  ["reads", () => true],
  ["reads and writes", (i: number) => i % 2 === 0],
])("ten thousand %s to be sent again are not scanned for each of them", (_, isRead) => {
  const commands = Array.from({ length: 10_000 }, (_each, i) => new Fake(isRead(i)));
  const order = orderOf(commands);
  looks = 0;
  let wrong = 0;
  for (let round = 0; round < 3; round++) {
    for (const command of commands) {
      order.isBehind(command as unknown as ClusterCommand);
      command.now = "parked";
      order.parked(command as unknown as ClusterCommand);
    }
    for (const command of commands) {
      // Not by expect(), which takes longer than all the rest.
      if (order.isBehind(command as unknown as ClusterCommand)) wrong++;
      if (order.overtaken(command as unknown as ClusterCommand) !== "no") wrong++;
      command.now = "sent";
      order.sent(command as unknown as ClusterCommand);
    }
  }
  expect(wrong).toBe(0);
  expect(looks).toBeLessThan(40 * commands.length);
});
