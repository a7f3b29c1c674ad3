import { expect, test } from "vitest";
import { UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import { Followers } from "../../../../gateway/src/redis/follow/followers.js";
import { parsePosition } from "../../../../gateway/src/redis/follow/stream-page.js";
import type { Upstream } from "../../../../gateway/src/redis/upstream.js";
import { arrayOf, bulkOf, errorOf, integerOf } from "../../../../gateway/src/resp/replies.js";

const text = (value: string) => bulkOf(Buffer.from(value));

/** The reply of a transaction that reads a stream with one entry, after a position. */
function page(after: boolean): Buffer {
  const entry = arrayOf([text("5-1"), arrayOf([text("n"), text("5")])]);
  const info = arrayOf([
    ...[text("length"), integerOf(1), text("last-generated-id"), text("5-1")],
    ...[text("entries-added"), integerOf(1), text("first-entry"), entry],
  ]);
  return arrayOf([info, arrayOf(after ? [entry] : [])]);
}

/** Followers of an upstream that replies to reads with these, then with an empty page, and never wakes a waiting read. */
function followersOf(replies: (Buffer | UpstreamFailure)[]) {
  const calls: string[] = [];
  const upstream = {
    transaction(_commands: unknown, receiver: any) {
      const reply = replies.shift() ?? page(false);
      setImmediate(() =>
        reply instanceof UpstreamFailure ? receiver.onFailure(reply) : receiver.onExec(reply, new Map()),
      );
      return () => {};
    },
    sendAlone: () => () => {},
  } as unknown as Upstream;
  const followers = new Followers({
    upstream,
    encode: (entries) => Buffer.from(entries.map(({ id }) => id).join()),
    maxWaiting: 0,
    maxBacklog: 100,
  });
  const cancel = followers.add("log", parsePosition("0-0")!, {
    backlog: 0,
    onStart: (id) => calls.push(`start ${id}`),
    onMessage: (encoded) => calls.push(String(encoded)),
    onRefusal: (error) => calls.push(error),
    onFailure: ({ reason }) => calls.push(reason),
  });
  return { followers, calls, cancel };
}

test.each([
  "LOADING Redis is loading",
  "CLUSTERDOWN The cluster is down",
  "TRYAGAIN Multiple keys",
  "MASTERDOWN x",
])("a follower outlives the error %s, which Redis gives for a time", async (error) => {
  const lost = new UpstreamFailure("lost", "the connection was lost");
  const { calls, cancel } = followersOf([
    page(true),
    errorOf(error),
    lost,
    arrayOf([errorOf(error), errorOf(error)]),
  ]);
  await expect.poll(() => calls).toEqual(["start 0-0", "5-1"]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(calls).toEqual(["start 0-0", "5-1"]);
  cancel();
});

test("a follower that can't begin fails, so that its client tries again", async () => {
  const { calls, followers } = followersOf([errorOf("LOADING Redis is loading")]);
  await expect.poll(() => calls).toEqual(["unreachable"]);
  expect(followers.isUnused).toBe(true);
});

test("closing ends every follower", async () => {
  const { calls, followers } = followersOf([page(true)]);
  await expect.poll(() => calls.length).toBe(2);
  followers.close();
  expect(calls).toEqual(["start 0-0", "5-1", "closing"]);
});
