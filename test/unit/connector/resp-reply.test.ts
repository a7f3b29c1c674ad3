import { expect, test } from "vitest";
import { array, errorReply, splitReplies } from "../../../src/connector/resp-reply.js";
import { MalformedReply } from "../../../src/protocol/malformed.js";

const REPLIES = [
  "+OK\r\n",
  "-ERR no\r\n",
  ":-1\r\n",
  ":9223372036854775807\r\n",
  "$-1\r\n",
  "*-1\r\n",
  "$0\r\n\r\n",
  "$4\r\n\r\n*1\r\n",
  "*2\r\n*1\r\n$1\r\na\r\n*0\r\n",
];

test("the replies of a batch are returned byte for byte", () => {
  const body = Buffer.from(`*${REPLIES.length}\r\n${REPLIES.join("")}`);
  expect(splitReplies(body, REPLIES.length).map(String)).toEqual(REPLIES);
});

test("a body that ends too early is malformed, wherever it ends", () => {
  const body = Buffer.from(`*${REPLIES.length}\r\n${REPLIES.join("")}`);
  for (let end = 0; end < body.length; end++) {
    expect(() => splitReplies(body.subarray(0, end), REPLIES.length)).toThrow(MalformedReply);
  }
});

test.each([
  ["replies of fewer commands", "*1\r\n+OK\r\n", 2],
  ["bytes after the replies", "*1\r\n+OK\r\n+OK\r\n", 1],
  ["another type", "*1\r\n_\r\n", 1],
  ["a length that is not a number", "*1\r\n$x\r\n", 1],
  ["arrays nested too deep", `*1\r\n${"*1\r\n".repeat(100)}+OK\r\n`, 1],
])("a response is malformed with %s", (_, text, count) => {
  expect(() => splitReplies(Buffer.from(text), count)).toThrow(MalformedReply);
});

test("an array holds text, bytes, integers, null and arrays", () => {
  expect(array(["a", Buffer.from([255]), 1, null, []]).toString("latin1")).toBe(
    "*5\r\n$1\r\na\r\n$1\r\n\xff\r\n:1\r\n$-1\r\n*0\r\n",
  );
});

test("the text of an error is one line", () => {
  expect(errorReply("ERR a\r\n+OK\r\n").toString()).toBe("-ERR a +OK \r\n");
});
