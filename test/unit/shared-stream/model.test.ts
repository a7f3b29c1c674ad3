import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { Redis, type Subscriber } from "../../../src/index.js";
import { sharedStream } from "../../../src/shared-stream.js";
import { scaled } from "../../support/random-tests.js";

// Subscribers come and go while requests, responses and streams are lost. Those that are left get each message once.

const { setTimeout } = globalThis;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (text: string) => new TextEncoder().encode(text);
const NAMES = ["a", "b", "c", "d", "e,f", "denied"];
const MAX_CHANNELS = 3;

type Fault = "none" | "request" | "response" | "unknown-id" | "busy";

interface ServerStream {
  readonly names: Set<string>;
  write(text: string): void;
  cut(): void;
}

/** A gateway with channels that no token may use, and few channels on one stream. */
class FakeGateway {
  readonly streams = new Map<string, ServerStream>();
  /** The faults of the next requests, in turn. */
  faults: Fault[] = [];
  #ids = 0;

  readonly fetch = async (url: string, { body, signal }: RequestInit): Promise<Response> => {
    const path = decodeURIComponent(new URL(url).pathname);
    const fault = this.faults.shift() ?? "none";
    await pause(0);
    signal!.throwIfAborted();
    if (fault === "request") throw new Error("lost");
    if (fault === "busy") return new Response("busy", { status: 503 });
    const response = path.startsWith("/events/")
      ? this.#change(path.slice("/events/".length), JSON.parse(String(body)), fault)
      : this.#open(path, signal!);
    if (fault !== "response") return response;
    await response.body?.cancel();
    throw new Error("lost");
  };

  publish(name: string, message: number): void {
    const exact = [name, String(message)].map((text) => btoa(text)).join();
    const field = name.includes(",") ? `exact: ${exact}\n` : "";
    for (const stream of this.streams.values())
      if (stream.names.has(name)) stream.write(`${field}data: message,${name},${message}\n\n`);
  }

  #open(path: string, signal: AbortSignal): Response {
    const own = path.startsWith("/subscribe/") ? path.slice("/subscribe/".length) : undefined;
    if (own === "denied") return new Response('{"error":"NOPERM"}', { status: 400 });
    const id = `0-${++this.#ids}`;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const end = (finish: () => void) => {
          if (this.streams.delete(id)) finish();
        };
        this.streams.set(id, {
          names: new Set(own === undefined ? [] : [own]),
          write: (text) => controller.enqueue(bytes(text)),
          cut: () => end(() => controller.error(new Error("cut"))),
        });
        controller.enqueue(
          bytes(own === undefined ? `event: stream\ndata: ${id}\n\n` : `data: subscribe,${own},1\n\n`),
        );
        signal.addEventListener("abort", () => end(() => controller.error(signal.reason)));
      },
      cancel: () => void this.streams.delete(id),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", "warmline-gateway": "0" } });
  }

  #change(
    id: string,
    { subscribe = [], unsubscribe = [] }: Record<string, string[]>,
    fault: Fault,
  ): Response {
    const stream = this.streams.get(id);
    if (!stream || fault === "unknown-id") return new Response("{}", { status: 404 });
    if (subscribe.includes("denied")) return new Response("{}", { status: 400 });
    if (new Set([...stream.names, ...subscribe]).size > MAX_CHANNELS)
      return new Response("{}", { status: 409 });
    for (const name of unsubscribe) stream.names.delete(name);
    for (const name of subscribe) {
      stream.names.add(name);
      stream.write(`data: subscribe,${name},${stream.names.size}\n\n`);
    }
    return new Response(`{"result":${stream.names.size}}`);
  }
}

interface Live {
  readonly name: string;
  readonly subscriber: Subscriber<number>;
  readonly heard: number[];
  failed: boolean;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

const fault = fc.constantFrom<Fault>("none", "none", "request", "response", "unknown-id", "busy");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ subscribe: fc.constantFrom(...NAMES) }) },
  { weight: 4, arbitrary: fc.record({ unsubscribe: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ cut: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ faults: fc.array(fault, { maxLength: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ pause: fc.nat(3) }) },
);

test("subscribers that are left get each message once, whatever was lost before", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const gateway = new FakeGateway();
      vi.stubGlobal("fetch", gateway.fetch);
      const retry = { retries: 3, backoff: () => 1 };
      const stream = sharedStream(new Redis({ url: "http://model", token: "t", retry }));
      const live: Live[] = [];
      const all: Live[] = [];
      for (const step of steps) {
        if ("subscribe" in step) {
          const subscriber = stream.subscribe<number>(step.subscribe);
          const each: Live = { name: step.subscribe, subscriber, heard: [], failed: false };
          subscriber.on("message", ({ message }) => each.heard.push(message));
          subscriber.on("error", () => {
            each.failed = true;
          });
          subscriber.ready.catch(() => {});
          live.push(each);
          all.push(each);
        } else if ("unsubscribe" in step) {
          const [each] = live.splice(step.unsubscribe % Math.max(1, live.length), 1);
          void each?.subscriber.unsubscribe();
        } else if ("cut" in step) {
          const open = [...gateway.streams.values()];
          open[step.cut % Math.max(1, open.length)]?.cut();
        } else if ("faults" in step) gateway.faults.push(...step.faults);
        else await pause(step.pause);
      }
      gateway.faults = [];
      await Promise.allSettled(live.map(({ subscriber }) => subscriber.ready));
      const standing = live.filter(({ failed }) => !failed);
      // A stream that was cut last may be on its way back.
      await vi.waitFor(() => {
        const served = new Set([...gateway.streams.values()].flatMap(({ names }) => [...names]));
        for (const { name } of standing) expect(served).toContain(name);
      }, 10_000);
      await pause(10);
      for (const [at, name] of NAMES.entries()) gateway.publish(name, at);
      await pause(5);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      for (const { name, heard, failed } of live) {
        expect([name, heard]).toEqual([name, failed ? [] : [NAMES.indexOf(name)]]);
      }
      expect(all.filter((each) => !live.includes(each)).flatMap(({ heard }) => heard)).toEqual([]);
      await Promise.all(live.map(({ subscriber }) => subscriber.unsubscribe()));
      await vi.waitFor(() => expect([...gateway.streams.keys()]).toEqual([]), 10_000);
    }),
    { numRuns: scaled(25) },
  );
}, 60_000);
