import { afterEach, expect, test, vi } from "vitest";
import { ResponseHeads } from "../../../../gateway/src/http/response-head.js";

afterEach(() => void vi.useRealTimers());

const JSON_TYPE = "application/json";
const text = (parts: readonly Buffer[]) => Buffer.concat(parts).toString("latin1");

test("prepared heads differ by status, type, length and keep-alive", () => {
  // Two heads of one response have the same date.
  vi.useFakeTimers();
  const heads = new ResponseHeads(310_000);
  const bodies = ["", "{}", '{"result":1}', "x".repeat(1_023), "x".repeat(1_024), "x".repeat(40_000)];
  // Twice, so that each head is also requested after it was prepared.
  for (const _ of [1, 2]) {
    for (const body of bodies) {
      for (const [status, type, keep, more] of [
        [200, JSON_TYPE, true, []],
        [200, JSON_TYPE, false, []],
        [400, JSON_TYPE, true, []],
        [200, "text/plain", true, []],
        [503, JSON_TYPE, true, ["Retry-After", "1"]],
      ] as const) {
        const response = text(heads.encode(status, type, keep, more, Buffer.from(body), true));
        const [head, rest] = [
          response.slice(0, response.length - body.length),
          response.slice(response.length - body.length),
        ];
        expect(rest).toBe(body);
        expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        expect(head).toContain(`\r\nContent-Type: ${type}\r\n`);
        expect(head).toContain(keep ? "\r\nKeep-Alive: timeout=310\r\n" : "\r\nConnection: close\r\n");
        expect(head).toContain(`\r\nContent-Length: ${body.length}\r\n`);
        expect(head.includes("Retry-After")).toBe(more.length > 0);
        expect(head.indexOf("\r\n\r\n")).toBe(head.length - 4);
        expect(text(heads.encode(status, type, keep, more, Buffer.from(body), false))).toBe(head);
      }
    }
  }
});

test("a response without a body has no length", () => {
  const heads = new ResponseHeads(1_000);
  expect(text(heads.encode(204, JSON_TYPE, true, [], Buffer.alloc(0), true))).not.toContain("Content-Length");
});

test("the Date header is that of the response", () => {
  vi.useFakeTimers({ now: Date.parse("2026-01-02T03:04:05.300Z") });
  const heads = new ResponseHeads(1_000);
  const date = () =>
    /Date: (.*)\r\n/.exec(text(heads.encode(200, JSON_TYPE, true, [], Buffer.alloc(2), true)))![1];
  expect(date()).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
  vi.advanceTimersByTime(699);
  expect(date()).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
  vi.advanceTimersByTime(1);
  expect(date()).toBe("Fri, 02 Jan 2026 03:04:06 GMT");
});
