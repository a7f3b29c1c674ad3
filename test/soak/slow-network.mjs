// Run in a network namespace with small kernel buffers: a client that reads a response slowly, but without a pause, and one
// that reads nothing. Prints, as JSON, what each received, and whether its connection was reset.
import { connect } from "node:net";
import { startGatewayProcess, startRedis } from "warmline-testbed";

/** Bytes per second. */
const RATE = 50_000;

const redis = await startRedis();
const gateway = await startGatewayProcess({ args: ["--redis", redis.url, "--body-timeout", "1500ms"] });
await redis.command("SETRANGE", "nul", "65535", "x");

/** Reads the response at RATE, after a wait in ms. Resolves when the connection has closed. */
function read(wait) {
  return new Promise((resolve) => {
    const socket = connect(gateway.port, "127.0.0.1");
    let text = "";
    let reset = false;
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      socket.pause();
      setTimeout(() => socket.resume(), (1_000 * chunk.length) / RATE);
    });
    socket.on("error", () => {
      reset = true;
    });
    socket.on("close", () => resolve({ whole: text.endsWith('x"}'), reset }));
    socket.write(
      `GET /get/nul HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`,
    );
    socket.pause();
    setTimeout(() => socket.resume(), wait);
  });
}

const [slow, stuck] = await Promise.all([read(0), read(6_000)]);
console.log(JSON.stringify({ slow, stuck }));
await gateway.stop();
await redis.stop();
