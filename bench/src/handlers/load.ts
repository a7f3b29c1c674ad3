// A process that sends one request at a time on each connection: the next one after each response, or at a fixed rate, where
// latencies count from the time at which a request is due. It tells its parent when it begins to measure, and then the result.
// Responses are separated by counting bytes, which leaves the processor to the server. Nearly all are as long as the last one. If an
// HTTP response is not, its Content-Length is read: the gateway's header with its age has a digit more after 36 s and after 1,296 s.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../statistics/series.js";
import { everyMs, runAt } from "../util/schedule.js";

export interface LoadWork {
  readonly port: number;
  readonly request: string;
  readonly connections: number;
  /** Requests per second, whether or not those before have ended. Absent: each connection sends the next one at once. */
  readonly rate?: number | undefined;
  readonly warmupMs: number;
  readonly measureMs: number;
}

const { port, request, connections, rate, warmupMs, measureMs }: LoadWork = JSON.parse(process.argv[2]!);
const bytes = Buffer.from(request, "latin1");
/** The latencies in ms at a fixed rate. */
const latencies: number[] = [];
/** At a fixed rate: the times of requests that are due and wait for a connection, and connections that wait for a request. */
const due: number[] = [];
const idle: (() => void)[] = [];
/** The length of the last response whose length was read. */
let size = 0;
let measuring = false;
let running = true;
let responses = 0;
/** Requests to which more bytes came than one response has. */
let surplus = 0;

/** Time in ms without a byte after which a response is complete. */
const SILENCE_MS = 300;

async function measureLength(): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (part) => {
    received += part;
  });
  socket.write(bytes);
  await once(socket, "data", { signal: AbortSignal.timeout(5_000) });
  for (let length = 0; length < received.length; ) {
    length = received.length;
    await pause(SILENCE_MS);
  }
  socket.destroy();
  if (/^(HTTP\/1\.1 200 |[$*+:])/.test(received)) return received.length;
  throw new Error(`the server responded ${JSON.stringify(received.slice(0, 200))}`);
}

/** Returns the length of the response that some bytes begin: by the Content-Length of its head, or else that of the last one. */
function lengthOf(begin: Buffer): number {
  const text = begin.toString("latin1");
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, bodyAt))?.[1];
  if (length !== undefined) size = bodyAt + Number(length);
  return size;
}

function drive(): void {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  /** The bytes that the current response lacks; 0 before its first one. */
  let left = 0;
  let sentAt = 0;
  const send = () => {
    const from = rate === undefined ? performance.now() : due.shift();
    if (from === undefined) {
      idle.push(send);
      return;
    }
    sentAt = from;
    socket.write(bytes);
  };
  socket.on("connect", send);
  socket.on("data", (chunk) => {
    if (left === 0) left = chunk.length === size ? size : lengthOf(chunk);
    left -= chunk.length;
    if (left > 0) return;
    if (left < 0) {
      // What follows on this connection can't be told apart.
      surplus++;
      socket.destroy();
      drive();
      return;
    }
    if (measuring) {
      responses++;
      if (rate !== undefined) latencies.push(performance.now() - sentAt);
    }
    if (running) send();
    else socket.destroy();
  });
}

process.on("disconnect", () => process.exit());
size = await measureLength();
for (let i = 0; i < connections; i++) drive();
if (rate !== undefined)
  void runAt(everyMs(1_000 / rate, warmupMs + measureMs), async (from) => {
    due.push(from);
    idle.shift()?.();
  });
await pause(warmupMs);
measuring = true;
const begun = performance.now();
process.send!({ begun: true });
await pause(measureMs);
[measuring, running] = [false, false];
const seconds = (performance.now() - begun) / 1_000;
const sorted = latencies.sort((a, b) => a - b);
process.send!({ responses, surplus, seconds, p50: percentile(50)(sorted), p99: percentile(99)(sorted) });
