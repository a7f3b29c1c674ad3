// A process that sends one request at a time on each connection: the next one after each response, or at a fixed rate, where
// latencies count from the time at which a request is due. It tells its parent when it begins to measure, and then the result.
// Every response to the same request has the same length, so responses are separated by counting bytes. That costs less than any
// parser and leaves the processor to the server.
import { connect } from "node:net";
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
let size = 0;
let measuring = false;
let running = true;
let responses = 0;
/** Requests to which more bytes came than one response has. */
let surplus = 0;

/** Timeout in ms of the first byte of a response, and the silence in ms after which a response without a length is complete. */
const FIRST_BYTE_TIMEOUT = 5_000;
const SILENCE = 300;

/** Returns the length of an HTTP response by its head; undefined if the head is not complete, or for a reply of Redis. */
function lengthOf(text: string): number | undefined {
  const [head, length] = /^HTTP.*?\r\ncontent-length: *(\d+).*?\r\n\r\n/is.exec(text) ?? [];
  return head === undefined ? undefined : head.length + Number(length);
}

/** Measures the length of one response. */
function measureLength(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const finish = () => {
      socket.destroy();
      if (/^(HTTP\/1\.1 200 |[$*+:])/.test(received)) resolve(received.length);
      else reject(new Error(`the server responded ${JSON.stringify(received.slice(0, 200))}`));
    };
    let timer = setTimeout(finish, FIRST_BYTE_TIMEOUT);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      clearTimeout(timer);
      const length = lengthOf(received);
      if (length !== undefined && received.length >= length) finish();
      else timer = setTimeout(finish, length === undefined ? SILENCE : FIRST_BYTE_TIMEOUT);
    });
    socket.write(bytes);
  });
}

function drive(): void {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let left = size;
  let sentAt = 0;
  const send = () => {
    const from = rate === undefined ? performance.now() : due.shift();
    if (from === undefined) {
      idle.push(send);
      return;
    }
    left = size;
    sentAt = from;
    socket.write(bytes);
  };
  socket.on("connect", send);
  socket.on("data", (chunk) => {
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
setTimeout(() => {
  measuring = true;
  const begun = performance.now();
  process.send!({ begun: true });
  setTimeout(() => {
    measuring = false;
    running = false;
    const seconds = (performance.now() - begun) / 1_000;
    const sorted = latencies.sort((a, b) => a - b);
    process.send!({ responses, surplus, seconds, p50: percentile(50)(sorted), p99: percentile(99)(sorted) });
  }, measureMs);
}, warmupMs);
