import { getSpec } from "../commands/index.js";
import { CommandExecutor } from "../execution/executor.js";
import { resolveSettings } from "../execution/settings.js";
import { Protocol } from "../protocol/rest-protocol.js";
import { headLines } from "../transport/node/http1/request-head.js";
import { ResponseParser } from "../transport/node/http1/response-parser.js";
import { createStats, type Transport } from "../transport/transport.js";

const RESPONSE = Buffer.from(
  "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.redis.resp2\r\nWarmline-Gateway: 1\r\n" +
    "Content-Length: 7\r\nConnection: keep-alive\r\nKeep-Alive: timeout=300\r\n\r\n$1\r\n1\r\n",
);

/** Responds at once, and runs the code that writes heads and parses responses on a connection. */
const stubTransport: Transport = {
  stats: createStats(),
  attempt(listener) {
    headLines("localhost", listener.take().headers, true);
    listener.onStart();
    listener.onResponse(new ResponseParser().push(RESPONSE)!.response);
    return { abort() {} };
  },
  onRetry() {},
};

let warmedUp = false;

/**
 * Runs all code of a command except the socket, once in a process, because code that has run is compiled. Call it while a
 * connection is being opened, when there is nothing else to do.
 */
export function warmUp(): void {
  if (warmedUp) return;
  warmedUp = true;
  const endpoint = { origin: "warm-up:", path: "", token: "none" };
  const protocol = new Protocol(endpoint, true, true, true);
  const executor = new CommandExecutor({ transport: stubTransport, protocol, endpoint }, resolveSettings({}));
  executor.run(getSpec("get")!, ["warm-up"]).then(undefined, () => {});
}
