import { expect, onTestFinished, test } from "vitest";
import { UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import {
  type FollowerShare,
  Followers,
  type FollowersOptions,
  type FollowListener,
} from "../../../../gateway/src/redis/follow/followers.js";
import { parsePosition } from "../../../../gateway/src/redis/follow/stream-page.js";
import type { TransactionReceiver, Upstream } from "../../../../gateway/src/redis/upstream.js";
import type { Command } from "../../../../gateway/src/resp/command.js";
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

const FREE: FollowerShare = {
  enterWait: () => true,
  leaveWait() {},
  enterTransaction: (read) => read.run(),
  leaveTransaction() {},
};

/**
 * Followers of an upstream that never wakes a waiting read.
 * @param reply the reply to a read. Default: an empty page
 */
function start(
  reply: (commands: readonly Command[]) => Buffer | UpstreamFailure | undefined,
  options: Partial<FollowersOptions> = {},
  sends = () => true,
) {
  const calls: string[] = [];
  const upstream = {
    transaction(commands: readonly Command[], receiver: TransactionReceiver) {
      const result = reply(commands) ?? page(false);
      setImmediate(() => {
        if (result instanceof UpstreamFailure) receiver.onFailure(result);
        else receiver.onExec(result, new Map());
      });
    },
    sendAlone: () => () => {},
  } as unknown as Upstream;
  const followers = new Followers({
    upstream: () => upstream,
    encode: (entries) => [Buffer.from(entries.map(({ id }) => id).join())],
    maxBufferedBytes: 1_000,
    maxWaiting: 1,
    maxBacklog: 100,
    ...options,
  });
  onTestFinished(() => followers.close());
  const follow = (share = FREE, position = "0-0", reader = { backlog: 0 }) => {
    const listener: Omit<FollowListener, "backlog"> = {
      onStart: (id) => calls.push(`start ${id}`),
      onMessage: (encoded) => sends() && calls.push(String(encoded)) > 0,
      onEnd: (end) => calls.push(typeof end === "string" ? end : `${end.reason} ${end.outcome}`),
    };
    return followers.add("log", parsePosition(position)!, share, Object.assign(reader, listener));
  };
  return { followers, follow, calls };
}

/** One follower that reads these replies, then empty pages at intervals. */
function followersOf(replies: (Buffer | UpstreamFailure)[]) {
  const { follow, ...rest } = start(() => replies.shift(), { maxWaiting: 0 });
  return { ...rest, cancel: follow() };
}

test.each([
  "LOADING Redis is loading",
  "CLUSTERDOWN The cluster is down",
  "TRYAGAIN Multiple keys",
  "MASTERDOWN x",
])("a follower outlives the error %s, which Redis gives for a time", async (error) => {
  const lost = new UpstreamFailure("lost", "the connection was lost");
  const refused = arrayOf([errorOf(error), errorOf(error)]);
  // The last one is read only if all errors before it were outlived.
  const replies = [page(true), errorOf(error), lost, refused, page(false)];
  const { calls, cancel } = followersOf(replies);
  await expect.poll(() => calls).toEqual(["start 0-0", "5-1"]);
  await expect.poll(() => replies.length).toBe(0);
  expect(calls).toEqual(["start 0-0", "5-1"]);
  cancel();
});

test("a follower outlives its upstream: each read asks for the current one", async () => {
  const closing = new UpstreamFailure("ended", "the gateway is closing");
  const replies = [page(true)];
  let current = 0;
  const upstreams = [0, 1].map((index) => ({
    transaction(_: unknown, receiver: TransactionReceiver) {
      const reply = index === current ? replies.shift() : undefined;
      setImmediate(() => (reply ? receiver.onExec(reply, new Map()) : receiver.onFailure(closing)));
    },
  })) as unknown as Upstream[];
  const { calls, follow } = start(() => undefined, { maxWaiting: 0, upstream: () => upstreams[current]! });
  follow();
  await expect.poll(() => calls).toEqual(["start 0-0", "5-1"]);
  current = 1;
  replies.push(page(false));
  await expect.poll(() => replies.length).toBe(0);
});

test("a follower that can't begin fails, so that its client tries again", async () => {
  const { calls, followers } = followersOf([errorOf("LOADING Redis is loading")]);
  await expect.poll(() => calls).toEqual(["unreachable unsent"]);
  expect(followers.isUnused).toBe(true);
});

test.each(["too-large", "no-room"] as const)("a %s page is read again with fewer entries", async (reason) => {
  const failure = new UpstreamFailure(reason, "the reply of Redis does not fit");
  const { calls, followers } = followersOf([failure, failure, page(true), failure, page(false)]);
  await expect.poll(() => calls).toEqual(["start 0-0", "5-1"]);
  followers.close();
});

test("a follower waits for a reader that is behind, and looks every 20 s whether its stream was deleted", async () => {
  const replies = [page(true), page(false), arrayOf([errorOf("ERR no such key"), arrayOf([])])];
  const waits: unknown[] = [];
  const reader = { backlog: 101 };
  const upstream = {
    transaction: (_: unknown, receiver: TransactionReceiver) =>
      setImmediate(() => receiver.onExec(replies.shift()!, new Map())),
    sendAlone(_: unknown, [wait]: number[], receiver: { onReply(reply: Buffer): void }) {
      waits.push(wait);
      setImmediate(() => receiver.onReply(Buffer.from("*-1\r\n")));
      return () => {};
    },
  } as unknown as Upstream;
  const { calls, follow } = start(() => undefined, { upstream: () => upstream });
  follow(FREE, "0-0", reader);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls).toEqual([]);
  reader.backlog = 100;
  await expect.poll(() => calls.at(-1)).toMatch(/^GAP entries after 5-1 .* the stream has no entries$/);
  expect(calls).toHaveLength(3);
  expect(waits).toEqual([20_000, 20_000]);
});

test.each(["encode", "send"] as const)("entries without memory to %s are read again, fewer", async (step) => {
  let shortages = 2;
  const fits = (each: string) => each !== step || shortages-- <= 0;
  const counts: string[] = [];
  const { calls, follow } = start(
    ([, range]) => {
      counts.push(range!.text(5));
      return page(range!.text(2) === "(0-0");
    },
    { encode: ([entry]) => (fits("encode") ? [Buffer.from(entry?.id ?? "")] : null) },
    () => fits("send"),
  );
  follow();
  await expect.poll(() => counts.slice(0, 4)).toEqual(["100", "10", "1", "100"]);
  expect(calls).toEqual(["start 0-0", "5-1"]);
});

test.each([
  ["when it begins", []],
  ["later", [page(true)]],
])("an entry whose read never fits ends a follower with the reason, %s", async (_, first) => {
  const failure = new UpstreamFailure(
    "over-budget",
    "the reply of Redis is larger than half of maxBufferedBytes",
  );
  const { calls, followers } = followersOf([...first, failure, failure, failure]);
  await expect
    .poll(() => calls.at(-1))
    .toMatch(/^ERR the entry after \d-\d can't be followed: .*larger than half/);
  expect(calls.at(-1)).toContain("maxBufferedBytes is 1000");
  expect(followers.isUnused).toBe(true);
});

test("an entry whose event never fits ends a follower before its stream begins", async () => {
  const { calls, follow } = start(() => page(true), { encode: async () => "too-large" as const });
  follow();
  const error = expect.stringMatching(/^ERR the entry after 0-0 .* half of the setting/);
  await expect.poll(() => calls).toEqual([error]);
});

test("closing ends every follower", async () => {
  const { calls, followers } = followersOf([page(true)]);
  await expect.poll(() => calls.length).toBe(2);
  followers.close();
  expect(calls).toEqual(["start 0-0", "5-1", "closing unsent"]);
});

test("the wait for an entry counts in the share of one follower, and moves when that one leaves", async () => {
  const waits: string[] = [];
  const shareOf = (name: string, admits = true): FollowerShare => ({
    ...FREE,
    enterWait() {
      if (admits) waits.push(`+${name}`);
      return admits;
    },
    leaveWait: () => waits.push(`-${name}`),
  });
  const { follow } = start(() => undefined);
  const shares = [shareOf("full", false), shareOf("a"), shareOf("b")];
  const cancels = shares.map((share) => follow(share, "5-1"));
  await expect.poll(() => waits).toEqual(["+a"]);
  cancels[1]!();
  await expect.poll(() => waits).toEqual(["+a", "-a", "+b"]);
  cancels[2]!();
  await expect.poll(() => waits).toEqual(["+a", "-a", "+b", "-b"]);
});

test("a read waits for its turn among the transactions of its token", async () => {
  const turns: { run(): void; onMissed(): void }[] = [];
  const { follow, calls } = start(() => undefined);
  follow({ ...FREE, enterTransaction: (read) => turns.push(read) });
  await expect.poll(() => turns.length).toBe(1);
  turns[0]!.onMissed();
  await expect.poll(() => calls).toEqual(["full unsent"]);
});
