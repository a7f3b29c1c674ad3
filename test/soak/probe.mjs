// One well-behaved client in a thread of its own: sends a small request over a kept connection, every few ms. On a message, it
// returns how long the responses took.
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { target, request, expected, everyMs } = workerData;
const socket = connect(target);
const took = [];
let errors = 0;
let sentAt = 0;
let received = "";
let stopping = false;

function send() {
  if (stopping) {
    parentPort.postMessage({ took, errors });
    socket.destroy();
    return;
  }
  received = "";
  sentAt = performance.now();
  socket.write(request);
}

socket.setNoDelay(true);
socket.on("connect", send);
socket.on("data", (chunk) => {
  received += chunk.toString("latin1");
  if (!received.endsWith(expected)) {
    if (!received.includes("\r\n\r\n{")) return;
    errors++;
  }
  took.push(performance.now() - sentAt);
  setTimeout(send, everyMs);
});
socket.on("error", () => errors++);
parentPort.on("message", () => {
  stopping = true;
});
