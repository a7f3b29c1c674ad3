import { expect, test } from "vitest";
import { RespEncoder } from "../../../../gateway/src/api/json-encoder.js";
import { ReplyBody } from "../../../../gateway/src/api/reply-body.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";

const KB = 1024;

test("a body begins only if there is room for the next write, which then fits", () => {
  const budget = new BufferBudget(1024 * KB);
  let cuts = 0;
  const ignored = () => {};
  const options = { budget, chunked: true, onMore: ignored, onLittle: ignored, onAbort: () => cuts++ };
  const create = (reserved: number) =>
    ReplyBody.create({ ...options, encoder: new RespEncoder(null) }, reserved);
  expect(create(700 * KB)).toBeNull();
  expect(budget.used).toBe(0);
  const body = create(600 * KB)!;
  expect(budget.take(budget.limit - budget.used)).toBe(true);
  const others = budget.limit - budget.used + 1024 * KB - 856 * KB;
  expect(body.write(Buffer.alloc(600 * KB))).toBe(600 * KB);
  expect(cuts).toBe(0);
  body.write(Buffer.alloc(1));
  expect(cuts).toBe(1);
  expect(budget.used).toBe(others);
});
