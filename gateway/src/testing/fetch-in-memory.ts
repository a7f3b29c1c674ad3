import type { Socket } from "node:net";
import { connectInMemory } from "./in-memory-socket.js";

const END_OF_HEAD = "\r\n\r\n";
/** Headers that belong to a connection rather than a request. */
const OF_CONNECTION = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
]);
/** Statuses of responses without a body. */
const WITHOUT_BODY = new Set([204, 304]);

/**
 * Sends a request to an HTTP server of this process, and returns its response. Each request has a connection of its own,
 * which ends with the response.
 * @param accept passes the server its end of the connection
 * @param path the request's target
 * @throws {TypeError} as `fetch` does, if the connection ends before the response's head
 */
export async function fetchInMemory(
  accept: (socket: Socket) => void,
  path: string,
  request: Request,
): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  const { client, server } = connectInMemory();
  const abort = () => client.destroy(request.signal.reason);
  request.signal.addEventListener("abort", abort, { once: true });
  // Unlike a socket, this connection would let the process end.
  const alive = setInterval(() => {}, 2 ** 30);
  client.once("close", () => {
    clearInterval(alive);
    request.signal.removeEventListener("abort", abort);
  });
  accept(server);
  client.write(Buffer.concat([Buffer.from(headOf(request, path, body.length), "latin1"), body]));
  const chunks: AsyncIterator<Buffer> = client[Symbol.asyncIterator]();
  const { status, headers, rest } = await readHead(chunks);
  if (WITHOUT_BODY.has(status) || request.method === "HEAD") {
    client.destroy();
    return new Response(null, { status, headers });
  }
  return new Response(ReadableStream.from(bodyOf(rest, chunks)), { status, headers });
}

/** The bytes of a body, of which some came with the head. */
async function* bodyOf(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => others };
}

/** Returns the head of an HTTP/1.0 request: its response is not chunked, and no other response follows it. */
function headOf(request: Request, path: string, length: number): string {
  const headers = [...request.headers].filter(([name]) => !OF_CONNECTION.has(name));
  const lines = [["Host", "127.0.0.1"], ["Content-Length", String(length)], ...headers];
  return [
    `${request.method} ${path} HTTP/1.0`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    END_OF_HEAD.slice(2),
  ].join("\r\n");
}

async function readHead(chunks: AsyncIterator<Buffer>) {
  let bytes: Buffer = Buffer.alloc(0);
  while (!bytes.includes(END_OF_HEAD)) {
    const { done, value } = await chunks.next().catch((cause: unknown) => {
      throw new TypeError("fetch failed", { cause });
    });
    if (done) throw new TypeError("fetch failed");
    bytes = Buffer.concat([bytes, value]);
  }
  const end = bytes.indexOf(END_OF_HEAD);
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (!OF_CONNECTION.has(name.toLowerCase())) headers.append(name, line.slice(colon + 1).trim());
  }
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    rest: bytes.subarray(end + END_OF_HEAD.length),
  };
}
