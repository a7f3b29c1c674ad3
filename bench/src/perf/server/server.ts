import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { serveParent } from "../../util/child.js";
import { buildResponse, parseRequestHead, type RequestHead, redisReply } from "./replies.js";

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
    const replies: Buffer[] = [];
    let begin = 0;
    for (let end = commandEnd(text, begin); end !== undefined; end = commandEnd(text, begin)) {
      const command = text.slice(begin, end);
      replies.push(kept(responses, command, () => redisReply(argsOf(command))));
      begin = end;
    }
    rest = text.slice(begin);
    if (begin > 0) socket.write(replies.length === 1 ? replies[0]! : Buffer.concat(replies));
  });
}

/** Returns where a RESP command ends; undefined if it is not complete. */
function commandEnd(text: string, begin: number): number | undefined {
  const line = text.indexOf("\r\n", begin);
  if (line < 0) return undefined;
  let at = line + 2;
  for (let left = Number(text.slice(begin + 1, line)); left > 0; left--) {
    const end = text.indexOf("\r\n", at);
    if (end < 0) return undefined;
    at = end + 2 + Number(text.slice(at + 1, end)) + 2;
  }
  return at <= text.length ? at : undefined;
}

/** Returns the arguments of a RESP command whose arguments contain no line break. */
const argsOf = (command: string): string[] => command.split("\r\n").filter((_, at) => at > 0 && at % 2 === 0);

function serveHttp(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = rest.toString("latin1", 0, headEnd);
    const request = kept(heads, head, () => parseRequestHead(head));
    const begin = headEnd + HEAD_END.length;
    const end = begin + request.length;
    if (rest.length < end) return;
    const body = rest.toString("latin1", begin, end);
    rest = rest.subarray(end);
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

/** Returns the port on which a server listens then. */
async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

serveParent(async ({ cert, key }: { readonly cert: string; readonly key: string }) => ({
  plain: await listen(createServer(serve)),
  tls: await listen(createTlsServer({ cert, key, ALPNProtocols: ["http/1.1"] }, serve)),
}));
