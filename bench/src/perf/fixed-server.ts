// A server with almost no CPU cost, in a process of its own, so that the client determines the results. It stores nothing: the same
// request always gets the same bytes. It serves HTTP, with the headers of warmline-gateway, and RESP.

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { serveParent } from "../util/child.js";

type Value = string | Buffer;

const INFO = Buffer.from("redis_version:7.0.0\r\nloading:0\r\n");
/** Replies to PING, and to the commands with which clients over TCP begin and end a connection. */
const REPLIES: Readonly<Record<string, Value>> = { PING: "PONG", INFO, CLIENT: "OK", QUIT: "OK" };

/** Returns the fixed reply to a command. @throws for a command that the benches do not send */
function replyTo([name, key]: readonly string[]): Value {
  const command = name!.toUpperCase();
  const reply = command === "GET" ? storedUnder(key!) : REPLIES[command];
  if (reply === undefined) throw new Error(`The fixed server has no reply to ${name}`);
  return reply;
}

const TEXT = "Ada Lovelace wrote the first program for a machine that was never built. ".repeat(8);
const documentOf = (id: number) => {
  return { id, name: `user ${id}`, active: id % 2 === 0, tags: ["a", "b"], about: TEXT };
};

/** Returns the value of a key: BYTES of text for `text:BYTES`, about BYTES of JSON for `json:BYTES`, else a short greeting. */
function storedUnder(key: string): Buffer {
  const [kind, bytes] = key.split(":");
  if (kind === "text") return Buffer.alloc(Number(bytes), "warm line ");
  if (kind !== "json") return Buffer.from("hello from a warm connection");
  const length = Number(bytes) / (JSON.stringify(documentOf(100)).length + 1);
  return Buffer.from(JSON.stringify(Array.from({ length }, (_, id) => documentOf(id))));
}

const encode = (value: Value): Buffer =>
  typeof value === "string"
    ? Buffer.from(`+${value}\r\n`)
    : Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from("\r\n")]);

const MAX_CACHED = 2_000;
const responses = new Map<string, Buffer>();

function cached(request: string, respond: () => Buffer): Buffer {
  const found = responses.get(request);
  if (found) return found;
  const response = respond();
  if (responses.size < MAX_CACHED) responses.set(request, response);
  return response;
}

/** Serves RESP if the first byte is an asterisk, else HTTP. */
function serve(socket: Socket): void {
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.once("data", (text: string) => {
    const read = text.startsWith("*") ? readCommand : readRequest;
    let rest = "";
    const receive = (more: string) => {
      rest += more;
      const replies: Buffer[] = [];
      for (let found = read(rest); found; found = read(rest)) {
        replies.push(found.response);
        rest = rest.slice(found.end);
      }
      if (replies.length > 0) socket.write(replies.length === 1 ? replies[0]! : Buffer.concat(replies));
    };
    socket.on("data", receive);
    receive(text);
  });
}

/** The response to a request, and where the request ends; undefined if it is not complete. */
type Found = { readonly response: Buffer; readonly end: number } | undefined;

function readCommand(text: string): Found {
  const line = text.indexOf("\r\n");
  if (line < 0) return undefined;
  let end = line + 2;
  for (let left = Number(text.slice(1, line)); left > 0; left--) {
    const lengthEnd = text.indexOf("\r\n", end);
    if (lengthEnd < 0) return undefined;
    end = lengthEnd + 2 + Number(text.slice(end + 1, lengthEnd)) + 2;
  }
  if (end > text.length) return undefined;
  const command = text.slice(0, end);
  return { end, response: cached(command, () => redisReply(command)) };
}

function redisReply(command: string): Buffer {
  // No argument contains a line break.
  const args = command.split("\r\n").filter((_, at) => at > 0 && at % 2 === 0);
  if (args[0]!.toUpperCase() !== "HELLO") return encode(replyTo(args));
  const fields = ["server", "redis", "version", "7.0.0"].map((text) => encode(Buffer.from(text))).join("");
  return Buffer.from(args[1] === "3" ? `%3\r\n${fields}$5\r\nproto\r\n:3\r\n` : `*4\r\n${fields}`);
}

function readRequest(text: string): Found {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const end = headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)![1]);
  if (end > text.length) return undefined;
  const body = text.slice(headEnd + 4, end);
  return { end, response: cached(text.slice(0, end), () => httpResponse(head, body)) };
}

/** Returns the whole HTTP response, with the headers of warmline-gateway. */
function httpResponse(head: string, body: string): Buffer {
  const isSingle = head.startsWith("POST / ");
  const isResp = /\r\nupstash-response-format: *resp2/i.test(head);
  const isBase64 = /\r\nupstash-encoding: *base64/i.test(head);
  const commands: unknown[][] = isSingle ? [JSON.parse(body)] : JSON.parse(body);
  const values = commands.map((args) => replyTo(args.map(String)));
  // Strings are in base64 if requested, except a status.
  const results = values.map((value) => {
    return { result: typeof value === "string" ? value : value.toString(isBase64 ? "base64" : "utf8") };
  });
  const content = isResp
    ? Buffer.concat([Buffer.from(isSingle ? "" : `*${values.length}\r\n`), ...values.map(encode)])
    : Buffer.from(JSON.stringify(isSingle ? results[0] : results));
  const headers =
    `HTTP/1.1 200 OK\r\nContent-Type: application/${isResp ? "vnd.redis.resp2" : "json"}\r\nWarmline-Gateway: 0.1.0\r\n` +
    `Content-Length: ${content.length}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=310\r\n\r\n`;
  return Buffer.concat([Buffer.from(headers), content]);
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

serveParent(async ({ cert, key }: { readonly cert: string; readonly key: string }) => ({
  plain: await listen(createServer(serve)),
  tls: await listen(createTlsServer({ cert, key, ALPNProtocols: ["http/1.1"] }, serve)),
}));
