import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { messagePieces } from "../../../../gateway/src/api/event-frames.js";
import { resolveSettings } from "../../../../src/execution/settings.js";
import { streamLines } from "../../../../src/features/subscribe/event-stream.js";
import { followStream } from "../../../../src/features/subscribe/follow-stream.js";

const endpoint = { origin: "http://localhost", path: "", token: "t" };
const request = { endpoint, path: "/subscribe/a", command: "SUBSCRIBE", signal: undefined };

/** The response to the next request; `null` keeps the stream open after the chunks. */
function response(pieces: readonly (Uint8Array | null)[], gateway = true): void {
  const headers = { "content-type": "text/event-stream", ...(gateway && { "warmline-gateway": "0" }) };
  fetching.mockImplementationOnce(async (_url, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) if (piece) controller.enqueue(piece);
        if (!pieces.includes(null)) controller.close();
        init!.signal!.addEventListener("abort", () => controller.error(init!.signal!.reason));
      },
    });
    return new Response(body, { headers });
  });
}

const fetching = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetching);
});
afterEach(() => {
  vi.useRealTimers();
  fetching.mockReset();
});

/** Every frame up to the end of the first stream. */
async function framesOf(
  sort: "subscribe" | "psubscribe",
  name: string,
  { signal, abort } = abortable(),
): Promise<[string, string, Uint8Array | undefined][]> {
  fetching.mockImplementation(async () => {
    abort();
    throw new Error("no more");
  });
  const heard: [string, string, Uint8Array | undefined][] = [];
  const settings = resolveSettings({ retry: { backoff: () => 0 } });
  try {
    for await (const frames of followStream(sort, name, { ...request, signal }, settings)) {
      for (const { kind, channel, payload, exact } of frames) {
        const bytes = (text: string) => Buffer.from(text, exact ? "base64" : "utf8");
        const heardPayload = payload === undefined ? undefined : new Uint8Array(bytes(payload));
        heard.push([kind, bytes(channel).toString(), heardPayload]);
      }
    }
  } catch (error) {
    expect(error).toBe(signal.reason);
  }
  return heard;
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** The bytes in pieces, cut at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, at) => bytes.slice(at === 0 ? 0 : ends[at - 1], end));
}

describe("what the gateway writes is what the client reads", () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: "grapheme" }).map((text) => new TextEncoder().encode(text)),
    fc
      .json({ maxDepth: 2 })
      .map((text) => new TextEncoder().encode(JSON.stringify(JSON.parse(text), null, 1))),
    fc
      .constantFrom("", "\n", "a\r", "data: b\n\n", "event: gap", ",")
      .map((text) => new TextEncoder().encode(text)),
  );
  const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("a,b", "x\ny", "é,", "event: gap\n"));
  const buffers = (...args: (string | Uint8Array)[]) => args.map((word) => Buffer.from(word as string));

  test("the client reads any message of the gateway on any channel, in any pieces", async () => {
    await fc.assert(
      fc.asyncProperty(name, fc.array(payload), fc.array(fc.nat(500)), async (channel, payloads, places) => {
        const pieces = payloads.flatMap((each) => [...messagePieces(buffers("message", channel, each))]);
        response(cut(Buffer.concat(pieces), places));
        const heard = await framesOf("subscribe", channel);
        expect(heard).toEqual(payloads.map((each) => ["message", channel, each]));
      }),
    );
  });

  test("lines of other servers may end in CRLF, and have no space before their data", async () => {
    const text = 'data:subscribe,a,1\r\n\r\ndata: message,a,"x"\r\n\r\ndata:message,a, y\r\n\r\n';
    const bytes = (text: string) => new Uint8Array(Buffer.from(text));
    for (const places of [[], [20, 45], Array.from({ length: text.length }, (_, at) => at)]) {
      response(cut(bytes(text), places), false);
      expect(await framesOf("subscribe", "a")).toEqual([
        ["subscribe", "a", bytes("1")],
        ["message", "a", bytes('"x"')],
        ["message", "a", bytes(" y")],
      ]);
    }
  });

  test("a stream of only comments times out within the call's timeout", async () => {
    response([Buffer.from(":\n\n"), null]);
    const settings = resolveSettings({ timeout: 100, retry: false });
    const frames = followStream(
      "subscribe",
      "a",
      { ...request, signal: new AbortController().signal },
      settings,
    );
    const all = (async () => {
      for await (const some of frames) expect(some).toEqual([]);
    })();
    await expect(all).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("the client reads any message of a pattern", async () => {
    await fc.assert(
      fc.asyncProperty(name, name, fc.array(payload), async (pattern, channel, payloads) => {
        const frames = payloads.flatMap((each) => [
          ...messagePieces(buffers("pmessage", pattern, channel, each)),
        ]);
        response([Buffer.concat(frames)]);
        const heard = await framesOf("psubscribe", pattern);
        expect(heard).toEqual(payloads.map((each) => ["pmessage", channel, each]));
      }),
    );
  });
});

describe("a stream", () => {
  const text = (line: string) => new TextEncoder().encode(line);

  test("comments, unknown fields and events are skipped, and a gap is reported", async () => {
    response([
      text(":\n\nretry: 5\nevent: gap\ndata:\n\ndata: subscribe,a,1\n\nid: 1\ndata: message,a,x\n\n"),
    ]);
    expect((await framesOf("subscribe", "a")).map(([kind]) => kind)).toEqual(["gap", "subscribe", "message"]);
  });

  test("a gateway that falls silent ends the stream, whatever came before", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    response([text("data: subscribe,a,1\n\n"), null]);
    const lines = streamLines(request, 1_000);
    await lines.next();
    const next = lines.next();
    const failed = expect(next).rejects.toMatchObject({ name: "TimeoutError", command: "SUBSCRIBE" });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the event loop turns between empty chunks, of which undici returns any number at once", async () => {
    let arrived = false;
    setTimeout(() => {
      arrived = true;
    });
    let empty = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (arrived) controller.enqueue(text("data: subscribe,a,1\n\n"));
        else if (++empty < 10_000) controller.enqueue(new Uint8Array(0));
        else controller.error(new Error("the event loop did not turn"));
      },
    });
    fetching.mockResolvedValueOnce(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    const lines = streamLines(request, 1_000);
    expect((await lines.next()).value).toContain("data: subscribe,a,1");
    expect(empty).toBeGreaterThan(0);
    await lines.return(undefined as never);
  });
});
