import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { expect } from "vitest";
import type { Gateway } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { call } from "../gateway/http.js";

/** An event stream as it comes over the wire. */
export interface Listening {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything so far. */
  readonly text: string;
  /** The whole `data: ` lines so far, as the Upstash client reads them. */
  readonly data: string[];
  /** `end`: whole; `cut`: broken off; undefined: still open. */
  readonly over: "end" | "cut" | undefined;
  /** Stops reading, and with it the sender, once the kernel's buffers are full. */
  pause(): void;
  close(): void;
}

export interface ListenOptions {
  readonly method?: string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent by POST; default `[]`, as the Upstash client does. */
  readonly body?: string;
}

/** Opens a stream the way the Upstash client does. */
export function listen(gateway: Gateway, path: string, options: ListenOptions = {}): Promise<Listening> {
  const { method = "POST", token = gateway.token } = options;
  const headers: Record<string, string> = { accept: "text/event-stream", ...options.headers };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  return new Promise((resolve, reject) => {
    const req = request(gateway.url + path, { method, headers, agent: false }, (res: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let over: Listening["over"];
      res.on("data", (chunk) => chunks.push(chunk));
      res.on("error", () => {});
      res.on("close", () => {
        over = res.complete ? "end" : "cut";
      });
      const text = () => Buffer.concat(chunks).toString();
      resolve({
        status: res.statusCode!,
        headers: res.headers,
        get text() {
          return text();
        },
        get data() {
          return text()
            .split("\n")
            .slice(0, -1)
            .filter((line) => line.startsWith("data: "))
            .map((line) => line.slice(6));
        },
        get over() {
          return over;
        },
        pause: () => res.pause(),
        close: () => req.destroy(),
      });
    });
    req.on("error", reject);
    req.end(method === "POST" ? (options.body ?? "[]") : undefined);
  });
}

/** Opens a stream that ends with the running test. */
export const listenForTest = async (...args: Parameters<typeof listen>) => forTest(await listen(...args));

/** Waits until a stream has sent `count` or more `data: ` lines, and returns all of them. */
export async function dataOf(stream: Listening, count: number): Promise<string[]> {
  await expect.poll(() => stream.data.length).toBeGreaterThanOrEqual(count);
  return stream.data;
}

/** Number of subscribers of a channel, as Redis itself counts them. */
export async function numsub(gateway: Gateway, channel: string): Promise<number> {
  const { json } = await call(gateway, "/", { body: ["PUBSUB", "NUMSUB", channel] });
  return json.result[1];
}
