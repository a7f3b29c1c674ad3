import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ArgumentError, Redis } from "../../../src/index.js";
import { sharedStream } from "../../../src/shared-stream.js";

/** The bodies of requests by their path, and the stream's controller. */
let requests: [path: string, body: string][] = [];
let events: ReadableStreamDefaultController<Uint8Array>;
/** The response to the next change. */
let changed: () => Promise<Response>;
const bytes = (text: string) => new TextEncoder().encode(text);
const send = (text: string) => events.enqueue(bytes(text));

beforeEach(() => {
  requests = [];
  changed = async () => new Response('{"result":1}');
  vi.stubGlobal("fetch", async (url: string, { body, signal }: RequestInit) => {
    const { pathname } = new URL(url);
    requests.push([pathname, String(body ?? "")]);
    if (pathname.startsWith("/events/")) return changed();
    const first =
      pathname === "/events" ? "event: stream\ndata: 0-id" : `data: ${pathname.slice(1).replace("/", ",")},1`;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        if (pathname === "/events") events = controller;
        signal!.addEventListener("abort", () => controller.error(signal!.reason));
        controller.enqueue(bytes(`${first}\n\n`));
      },
    });
    const headers = { "content-type": "text/event-stream", "warmline-gateway": "0" };
    return new Response(stream, { headers });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const create = (options = {}) => sharedStream(new Redis({ url: "http://shared", token: "t", ...options }));

/** Lets everything happen that needs no time. */
const { setImmediate, setTimeout } = globalThis;
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a shared stream", () => {
  test("subscriptions and unsubscriptions of one turn are one request each", async () => {
    const stream = create();
    const all = ["a", "b"].map((name) => stream.subscribe(name));
    all.push(stream.psubscribe("p*"), stream.ssubscribe(["s", "t"]));
    for (const { ready } of all) await ready;
    const keep = stream.subscribe("keep");
    await keep.ready;
    await Promise.all(all.map((each) => each.unsubscribe()));
    await settle();
    expect(requests).toEqual([
      ["/events", "{}"],
      ["/events/0-id", '{"subscribe":["a","b"],"psubscribe":["p*"],"ssubscribe":["s","t"]}'],
      ["/events/0-id", '{"subscribe":["keep"]}'],
      ["/events/0-id", '{"unsubscribe":["a","b"],"punsubscribe":["p*"],"sunsubscribe":["s","t"]}'],
    ]);
    await keep.unsubscribe();
    expect(requests).toHaveLength(4);
  });

  test("events may be cut anywhere", async () => {
    const subscriber = create().subscribe<string>(["a", "x,y"]);
    const heard: unknown[] = [];
    subscriber.on("message", ({ channel, message }) => heard.push([channel, message]));
    await subscriber.ready;
    const exact = ["x,y", "1,2"].map((part) => Buffer.from(part).toString("base64")).join();
    const text = `data: message,a,ü, 1\n\nexact: ${exact}\ndata: message,x,y,1,2\n\n:\n\ndata: message,a,2\n\n`;
    for (const byte of Buffer.from(text)) {
      events.enqueue(Uint8Array.of(byte));
      await settle();
    }
    expect(heard).toEqual([
      ["a", "ü, 1"],
      ["x,y", "1,2"],
      ["a", 2],
    ]);
    await subscriber.unsubscribe();
  });

  test("a confirmation that comes before the response to the change is enough", async () => {
    let respond = (_: Response) => {};
    changed = () =>
      new Promise((resolve) => {
        respond = resolve;
      });
    const stream = create();
    const [first, second] = [stream.subscribe("first"), stream.subscribe("second")];
    await vi.waitFor(() => expect(requests).toHaveLength(2), 10_000);
    send("data: subscribe,first,1\n\n");
    await first.ready;
    // The rest is refused by itself.
    changed = async () => new Response('{"error":"NOPERM"}', { status: 400 });
    respond(new Response('{"error":"NOPERM"}', { status: 400 }));
    await second.ready;
    expect(requests.at(-1)![0]).toBe("/subscribe/second");
    expect(requests.filter(([path]) => path === "/subscribe/first")).toEqual([]);
    await second.unsubscribe();
    await first.unsubscribe();
  });

  test("a subscription that left the shared stream ends without effect on others of its name", async () => {
    const stream = create();
    changed = async () => new Response("", { status: 404 });
    const own = stream.subscribe("a");
    await own.ready;
    expect(requests.at(-1)![0]).toBe("/subscribe/a");
    await settle();
    changed = async () => new Response('{"result":1}');
    const shared = stream.subscribe("a");
    const heard: unknown[] = [];
    shared.on("message", ({ message }) => heard.push(message));
    await shared.ready;
    await own.unsubscribe();
    await settle();
    send("data: message,a,1\n\n");
    await vi.waitFor(() => expect(heard).toEqual([1]), 10_000);
    await shared.unsubscribe();
  });

  test("a channel that a lost change left on another stream does not bring its messages twice", async () => {
    const stream = create();
    const keep = stream.subscribe("keep");
    const former = stream.subscribe("a");
    await Promise.all([keep.ready, former.ready]);
    const first = events;
    changed = async () => new Response("{}", { status: 404 });
    await former.unsubscribe();
    await settle();
    // The stream is full, so another one opens.
    changed = async () => {
      changed = async () => new Response('{"result":1}');
      return new Response("{}", { status: 409 });
    };
    const again = stream.subscribe("a");
    const heard: unknown[] = [];
    again.on("message", ({ message }) => heard.push(message));
    await again.ready;
    expect(events).not.toBe(first);
    first.enqueue(bytes("data: message,a,1\n\n"));
    await settle();
    send("data: message,a,1\n\n");
    await settle();
    expect(heard).toEqual([1]);
    await Promise.all([keep.unsubscribe(), again.unsubscribe()]);
  });

  test("a refused channel does not hold up the other one of its request", async () => {
    const stream = create({ retry: false });
    changed = async () => {
      const isRefused = requests.at(-1)![1].includes("refused");
      return new Response("{}", { status: isRefused ? 400 : 200 });
    };
    const all = ["refused", "a"].map((name) => stream.subscribe(name));
    for (const { ready } of all) await ready;
    expect(requests.map(([path]) => path).filter((path) => !path.startsWith("/events"))).toEqual([
      "/subscribe/refused",
    ]);
    for (const each of all) await each.unsubscribe();
  });

  test("the last removal closes the stream, also while it opens", async () => {
    const stream = create();
    const subscriber = stream.subscribe("a");
    const failed = expect(subscriber.ready).rejects.toThrow(/cancelled/);
    await subscriber.unsubscribe();
    await failed;
    await settle();
    expect(() => send(":\n\n")).toThrow();
  });

  test("heartbeats of the stream are heartbeats of each subscription", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const subscriber = create().subscribe("a");
    await subscriber.ready;
    for (let minute = 0; minute < 3; minute++) {
      await vi.advanceTimersByTimeAsync(50_000);
      send(":\n\n");
      await settle();
    }
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(61_000);
    await settle();
    vi.useRealTimers();
    // Silence ends the stream.
    await vi.waitFor(() => expect(requests.length).toBeGreaterThan(2), 10_000);
    await subscriber.unsubscribe();
  });

  test("an object that is no client is refused, and so are wrong names", () => {
    for (const value of [undefined, null, {}, "redis"])
      expect(() => sharedStream(value as never)).toThrow(ArgumentError);
    const { subscribe } = create();
    for (const name of ["", ".", "\ud800"]) expect(() => subscribe(name)).toThrow(ArgumentError);
  });
});
