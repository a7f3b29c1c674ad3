import { expect, onTestFinished, test } from "vitest";
import { Lanes } from "../../../../gateway/src/numbers/lanes.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";

const KB = 1_024;
const NOT_KEPT = "was run, and its response was not kept";

/** Lanes on a clock that stands still until the test moves it. */
function start(memory: number) {
  let now = 0;
  const clock = { monotonic: () => now, wall: () => now };
  const lanes = new Lanes(new BufferBudget(memory), { aloneSince: 0, check() {}, use: () => true }, clock);
  onTestFinished(() => lanes.close());
  const [, instance] = lanes.offer();
  /** Sends a copy of a client's first request, whose response has `size` bytes. Returns what became of it. */
  const send = (client: string, size: number, token = "a") => {
    const outcomes = ["run"];
    const copy = {
      isOver: false,
      respond: () => outcomes.push("response"),
      refuseNumber: (why: string) => outcomes.push(why),
      unsent: () => outcomes.push("unsent"),
    };
    const request = lanes.enter(`${instance}.${client}.0.1.x`, token, 0, copy, false);
    request?.settle(200, "text/plain", Buffer.alloc(size), []);
    return outcomes.at(-1);
  };
  const pass = (seconds: number) => {
    now += seconds;
    lanes.sweep();
  };
  return { send, pass };
}

test.each([
  { size: 64 * KB, after: 120, outcome: "response" },
  { size: 64 * KB, after: 121, outcome: NOT_KEPT },
  { size: 64 * KB + 1, after: 0, outcome: NOT_KEPT },
  { size: 1, after: 900, outcome: NOT_KEPT },
  { size: 1, after: 901, outcome: "has expired" },
])("a copy $after s after a response of $size bytes: $outcome", ({ size, after, outcome }) => {
  const { send, pass } = start(100 * KB * KB);
  expect(send("c", size)).toBe("run");
  pass(after);
  expect(send("c", size)).toBe(outcome);
});

test("responses take an eighth of the memory at most, and those of one token half of that", () => {
  // Nine responses and their lanes fit in the part of a token, and nineteen in all.
  const { send } = start(16 * 10 * 64 * KB);
  const kept = ["a", "b", "c"].map((token) => {
    const clients = Array.from({ length: 12 }, (_, n) => `c${n}`);
    for (const client of clients) expect(send(client, 64 * KB, token)).toBe("run");
    return clients.filter((client) => send(client, 64 * KB, token) === "response").length;
  });
  expect(kept).toEqual([9, 9, 1]);
});
