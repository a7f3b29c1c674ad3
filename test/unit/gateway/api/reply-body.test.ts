import { expect, test } from "vitest";
import { JsonEncoder, RespEncoder } from "../../../../gateway/src/api/json-encoder.js";
import { ReplyBody } from "../../../../gateway/src/api/reply-body.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";

const KB = 1024;

test("a body begins only if there is room for the next write, which then fits", () => {
  const budget = new BufferBudget(1024 * KB);
  let cuts = 0;
  const ignored = () => {};
  const options = {
    budget,
    chunked: true,
    sender: { send: ignored, sendSoon: ignored, abort: () => cuts++ },
  };
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

test("the memory of an encoded slice is used again once the slice has left, and not before", () => {
  const ignored = () => {};
  const body = ReplyBody.create(
    {
      ...{ budget: new BufferBudget(), chunked: false, encoder: new JsonEncoder(false, "one") },
      sender: { send: ignored, sendSoon: ignored, abort: ignored },
    },
    0,
  )!;
  const value = Array.from({ length: 5 }, (_, i) => String(i).repeat(64 * KB)).join("");
  body.write(Buffer.from(`$${value.length}\r\n${value}\r\n`));
  body.end();
  /** All pieces so far. `text` has their content at the time when they were made. */
  const pieces: Buffer[] = [];
  let text = "";
  const next = () => {
    const made = body.next();
    if (!made) return false;
    for (const piece of made) {
      pieces.push(piece);
      text += piece.toString();
    }
    return true;
  };
  next();
  next();
  const [first, second] = pieces as [Buffer, Buffer];
  const kept = second.toString();
  expect(second.buffer).not.toBe(first.buffer);
  body.written();
  next();
  expect(pieces[2]!.buffer).toBe(first.buffer);
  expect(second.toString()).toBe(kept);
  while (next()) body.written();
  expect(JSON.parse(text)).toEqual({ result: value });
});
