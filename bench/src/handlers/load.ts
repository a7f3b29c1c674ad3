// A process that keeps so many requests in flight at a server, one for each connection, and prints what it saw. Every answer
// to the same request has the same length, so that answers are told apart by counting bytes: that costs less than any
// parser, and leaves the processor to the server.
import { connect } from "node:net";
import { Latencies } from "../latencies.js";

interface Load {
  readonly port: number;
  readonly request: string;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
}

const { port, request, connections, warmupMs, measureMs }: Load = JSON.parse(process.argv[2]!);
const bytes = Buffer.from(request, "latin1");
const latencies = new Latencies();
let size = 0;
let measuring = false;
let running = true;
let answers = 0;

/** The length of one answer, learnt from one that nothing follows for a while. */
function learn(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.write(bytes);
    setTimeout(() => {
      socket.destroy();
      if (/^(HTTP\/1\.1 200 |[$*+:])/.test(received)) resolve(received.length);
      else reject(new Error(`the server answered ${JSON.stringify(received.slice(0, 200))}`));
    }, 300);
  });
}

function drive(): void {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let left = size;
  let sentAt = 0;
  const send = () => {
    left = size;
    sentAt = performance.now();
    socket.write(bytes);
  };
  socket.on("connect", send);
  socket.on("data", (chunk) => {
    left -= chunk.length;
    if (left > 0) return;
    if (left < 0) throw new Error("an answer is longer than the first one was");
    if (measuring) {
      answers++;
      latencies.record(performance.now() - sentAt);
    }
    if (running) send();
    else socket.destroy();
  });
}

size = await learn();
for (let i = 0; i < connections; i++) drive();
setTimeout(() => {
  measuring = true;
  const begun = performance.now();
  process.stdout.write("begun\n");
  setTimeout(() => {
    measuring = false;
    running = false;
    const seconds = (performance.now() - begun) / 1_000;
    const { user, system } = process.cpuUsage();
    const { p50, p99 } = latencies.stats();
    const seen = { answers, seconds, p50, p99, cpuSeconds: (user + system) / 1e6 };
    process.stdout.write(`${JSON.stringify(seen)}\n`);
    process.exit(0);
  }, measureMs);
}, warmupMs);
