import { afterAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { startEngineServer } from "../../support/engine-server.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { call } from "./http.js";

/** Sizes are multiples of this: larger than a slice of a reply. */
const LARGE = 300 * 1024;
/** Characters of a stream's end that a test looks at: heartbeats of 20 ms in several minutes fit. */
const END_LENGTH = 64 * 1024;

const redis = sharedByTests(() => startEngineServer());
let gateway: Gateway;
const streams = new AbortController();

/** Opens an event stream. Returns a function that reads until its text matches, and returns the text. */
async function open(path: string): Promise<(until: RegExp) => Promise<string>> {
  const headers = { authorization: "Bearer t" };
  const response = await fetch(gateway.url + path, { headers, signal: streams.signal });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  const chunks: string[] = [];
  // What is matched: slicing the whole text would copy all of its megabytes for each chunk.
  let end = "";
  return async (until) => {
    while (!until.test(end)) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(decoder.decode(value, { stream: true }));
      end = (end + chunks.at(-1)).slice(-END_LENGTH);
    }
    return chunks.join("");
  };
}

async function start(options: Partial<GatewayOptions>): Promise<void> {
  gateway = forTest(await createGateway({ redis: redis.url, port: 0, token: "t", ...options }));
}

describe("large events", () => {
  afterAll(() => streams.abort());

  test("a small message comes after the large one that was published before it", async () => {
    await start({ maxBufferedBytes: 64 * LARGE, streamBuffer: 16 * LARGE });
    const readNews = await open("/subscribe/news");
    const readOther = await open("/subscribe/other");
    await readNews(/subscribe,news,1\n\n$/);
    await readOther(/subscribe,other,1\n\n$/);
    const large = "line\n".repeat(LARGE);
    await redis.command("MULTI");
    await redis.command("PUBLISH", "news", large);
    await redis.command("PUBLISH", "news", "small");
    await redis.command("PUBLISH", "other", "small");
    await redis.command("EXEC");
    expect(await readOther(/small\n\n$/)).toMatch(/data: message,other,small\n\n$/);
    const news = await readNews(/message,news,small\n\n$/);
    const [, second, third] = news.split("\n\n");
    expect(JSON.parse(second!.slice(second!.indexOf("data: message,news,") + 19))).toBe(large);
    expect(third).toBe("data: message,news,small");
  });

  test("a large message that is still being read disconnects no reader when a heartbeat or a message follows", {
    tags: "full-run",
  }, async () => {
    await start({ streamHeartbeat: 20, maxBufferedBytes: 430 * LARGE });
    const readNews = await open("/subscribe/news");
    await readNews(/subscribe,news,1\n\n$/);
    // More than the kernel takes, and than streamBuffer.
    await redis.command("PUBLISH", "news", "x".repeat(80 * LARGE));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await redis.command("PUBLISH", "news", "small");
    expect(await readNews(/message,news,small\n\n(:\n\n)*$/)).toMatch(
      /x\n\n(:\n\n)*data: message,news,small\n/,
    );
  });

  test.each([
    [
      "whose read does not fit",
      3 * LARGE,
      "",
      /^ERR the entry after 1-0 can't be followed: .*setting maxBufferedBytes/,
    ],
    [
      "whose event does not fit",
      LARGE,
      "",
      /^ERR the entry after 1-0 can't be followed: its event is larger/,
    ],
    [
      "above maxReplySize",
      3 * LARGE,
      "maxReplySize",
      /^ERR the entry after 1-0 can't be followed: .*maxReplySize/,
    ],
  ])("an entry %s ends a /follow stream with an error, and begins none", async (_, size, setting, error) => {
    await start({ maxBufferedBytes: 8 * LARGE, ...(setting && { [setting]: LARGE }) });
    await redis.command("DEL", "log");
    await redis.command("XADD", "log", "1-0", "f", "v");
    const read = await open("/follow/log?from=0-0");
    await read(/\["f","v"\]\n\n$/);
    // Each byte becomes six in JSON.
    await redis.command("XADD", "log", "2-0", "f", "\0".repeat(size));
    const [, event] = /event: error\ndata: (.*)\n\n$/.exec(await read(/^never$/))!;
    expect(event).toMatch(error);
    expect(event).toMatch(
      /\(maxBufferedBytes is 2457600\)\. Raise the setting, or read the entry with XRANGE$/,
    );
    const again = await call(gateway, "/follow/log?from=1-0");
    expect([again.status, again.json]).toEqual([400, { error: event }]);
  });
});
