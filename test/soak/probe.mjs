// One well-behaved client in a thread of its own: sends a small request over a kept connection, every few ms. On a message, it
// returns how long the responses took, and the longest time between two correct responses.
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { target, request, expected, everyMs } = workerData;
const socket = connect(target);
const took = [];
let errors = 0;
let servedAt = performance.now();
let longestGap = 0;
let sentAt = 0;
let received = "";
let stopping = false;

function send() {
  if (stopping) {
    longestGap = Math.max(longestGap, performance.now() - servedAt);
    parentPort.postMessage({ took, errors, longestGap });
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
  } else {
    longestGap = Math.max(longestGap, performance.now() - servedAt);
    servedAt = performance.now();
  }
  took.push(performance.now() - sentAt);
  setTimeout(send, everyMs);
});
socket.on("error", () => errors++);
parentPort.on("message", () => {
  stopping = true;
});
