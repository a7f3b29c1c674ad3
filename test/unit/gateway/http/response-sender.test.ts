import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { ResponseSender } from "../../../../gateway/src/http/response-sender.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";

/** A sender whose socket has one write of 128 KB in progress. */
function create() {
  const socket = { bytesWritten: 131_072, writableLength: 131_072, _handle: { writeQueueSize: 131_072 } };
  const sender = new ResponseSender(socket as unknown as Socket, new BufferBudget(), () => {});
  return { socket, sender };
}

test("a reader progresses when the kernel accepts a part of a write", () => {
  const { socket, sender } = create();
  expect(sender.progresses(1_000, 100)).toBe(true);
  socket._handle.writeQueueSize -= 20_000;
  expect(sender.progresses(1_200, 100)).toBe(true);
  expect(sender.progresses(1_301, 100)).toBe(false);
});

test("a reader progresses when a write is complete, even without a number from Node's internals", () => {
  const { socket, sender } = create();
  Object.assign(socket, { _handle: null });
  expect(sender.progresses(1_000, 2_000)).toBe(true);
  expect(sender.progresses(3_500, 2_000)).toBe(false);
  socket.writableLength = 0;
  expect(sender.progresses(3_600, 2_000)).toBe(true);
});
