import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { buildResponse, parseRequestHead, type RequestHead, readBody, redisReplies } from "./responses.js";

// A server with almost no CPU cost, in a separate process, so that the client determines the results. It stores nothing:
// the same request always gets the same bytes.

const HEAD_END = "\r\n\r\n";
/** Caches: parsed heads by their text, and responses by head and body. */
const heads = new Map<string, RequestHead>();
const responses = new Map<string, Buffer>();
const MAX_CACHED = 2_000;

/** Serves HTTP or RESP, as the first byte tells: a RESP command begins with an asterisk. */
function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.once("data", (bytes) => {
    if (bytes[0] === 0x2a) serveRedis(socket);
    else serveHttp(socket);
    socket.emit("data", bytes);
  });
}

function serveRedis(socket: Socket): void {
  let rest = "";
  socket.on("data", (bytes) => {
    const text = rest + bytes.toString("latin1");
    const { length, replies } = redisReplies(text, (command, make) => kept(responses, command, make));
    rest = text.slice(length);
    if (length > 0) socket.write(replies);
  });
}

function serveHttp(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const end = rest.indexOf(HEAD_END);
    if (end === -1) return;
    const head = rest.toString("latin1", 0, end);
    const request = kept(heads, head, () => parseRequestHead(head));
    const read = readBody(rest, end + HEAD_END.length, request);
    if (!read) return;
    const { body } = read;
    rest = rest.subarray(read.end);
    const { route, resp2, base64 } = request;
    const key = `${route} ${resp2} ${base64} ${body}`;
    socket.write(kept(responses, key, () => buildResponse(request, body)));
  });
}

function kept<T>(from: Map<string, T>, key: string, make: () => T): T {
  let found = from.get(key);
  if (found === undefined) {
    found = make();
    if (from.size < MAX_CACHED) from.set(key, found);
  }
  return found;
}

process.on("disconnect", () => process.exit());
process.once("message", ({ cert, key }: { cert: string; key: string }) => {
  const plain = createServer(serve).listen(0, "127.0.0.1", () => {
    const secure = createTlsServer({ cert, key, ALPNProtocols: ["http/1.1"] }, serve).listen(
      0,
      "127.0.0.1",
      () => {
        const port = (server: typeof plain) => (server.address() as { port: number }).port;
        process.send!({ plain: port(plain), tls: port(secure) });
      },
    );
  });
});
