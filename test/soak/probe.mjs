// One well-behaved client in a thread of its own: sends a small GET over a kept connection, every few ms, and says how long
// the responses took when it gets the signal to stop.
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { port, token, everyMs } = workerData;
const request = `GET /get/small HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const socket = connect(port, "127.0.0.1");
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
  if (!received.endsWith('{"result":"s"}')) {
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
