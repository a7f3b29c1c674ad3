import { expect, test, vi } from "vitest";
import { Redis } from "../../../../src/fetch.js";

// What a loop that does not read makes the client hold.

const KILOBYTE = "x".repeat(1_000);

/** Lets whatever can go on without a message being taken go on. */
const settle = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** Stubs `fetch` with event streams of messages, up to 100 MB. Returns a function that counts the messages that were read. */
function stubStreams(message: string): () => number {
  let read = 0;
  vi.stubGlobal("fetch", async (url: string) => {
    const [, method, channel] = /\/(\w+)\/(\w+)$/.exec(url)!;
    const event =
      method === "psubscribe" ? `pmessage,${channel},news,${message}` : `message,${channel},${message}`;
    const encoder = new TextEncoder();
    let begun = false;
    const body = new ReadableStream(
      {
        pull(stream) {
          // Enough to see that nothing holds the stream up.
          if (read * message.length > 100_000_000) return new Promise<void>(() => {});
          stream.enqueue(encoder.encode(`data: ${begun ? event : `${method},${channel},1`}\n\n`));
          if (begun) read++;
          begun = true;
          return undefined;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return () => read;
}

const client = () => new Redis({ url: "https://redis.example.com", token: "t", codec: "text" });

test.each([
  // By size: 1 MB, and one message of each stream.
  ["subscribe", ["a"], 100, 12],
  ["subscribe", ["a", "b", "c"], 100, 15],
  ["psubscribe", ["a"], 100, 12],
  ["subscribe", ["a"], 4_000, 2],
  // By number, though they are small.
  ["subscribe", ["a"], 0, 1_010],
] as const)("an unread %s to %j of %i KB is held up at %i", async (method, channels, kilobytes, most) => {
  const messages = stubStreams(KILOBYTE.repeat(kilobytes) || "x");
  const subscriber = client()[method]<string>(channels);
  const loop = subscriber[Symbol.asyncIterator]();
  await loop.next();
  await expect.poll(messages).toBeGreaterThanOrEqual(Math.min(most - 5, 1_000));
  await settle();
  const held = messages();
  expect(held).toBeLessThanOrEqual(most);
  // A reader that goes on gets what follows.
  for (let taken = 0; taken < held + 5; taken++) expect((await loop.next()).done).toBe(false);
  expect(messages()).toBeGreaterThan(held);
  await loop.return();
});

test("a second loop that is not read holds up the streams of the first", async () => {
  const messages = stubStreams(KILOBYTE.repeat(100));
  const subscriber = client().subscribe<string>("a");
  const [read, unread] = [subscriber[Symbol.asyncIterator](), subscriber[Symbol.asyncIterator]()];
  await Promise.all([read.next(), unread.next()]);
  for (let taken = 0; taken < 9; taken++) await read.next();
  await settle();
  expect(messages()).toBeLessThanOrEqual(13);
  await unread.return();
});
