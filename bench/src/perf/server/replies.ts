/** The value of a reply: a status such as OK, or bytes. */
type Value = string | Buffer;

const GREETING = Buffer.from("hello from a warm connection");

/** Returns the fixed reply to a command; nothing is stored. @throws for a command that the benches do not send */
function replyTo([name, key]: readonly string[]): Value {
  switch (name!.toUpperCase()) {
    case "PING":
      return "PONG";
    case "GET":
      return storedUnder(key!);
    // Commands with which clients over TCP begin and end a connection.
    case "INFO":
      return Buffer.from("redis_version:7.0.0\r\nloading:0\r\n");
    case "CLIENT":
    case "QUIT":
      return "OK";
    default:
      throw new Error(`The fixed server has no reply to ${name}`);
  }
}

/** The key determines the value: `text:BYTES`, `json:BYTES`, or anything else for a short greeting. */
function storedUnder(key: string): Buffer {
  const [kind, bytes] = key.split(":");
  if (kind === "text") return Buffer.alloc(Number(bytes), "warm line ");
  return kind === "json" ? Buffer.from(jsonOf(Number(bytes))) : GREETING;
}

const TEXT = "Ada Lovelace wrote the first program for a machine that was never built. ".repeat(8);
const documentOf = (id: number) => {
  return { id, name: `user ${id}`, active: id % 2 === 0, tags: ["a", "b"], about: TEXT };
};

/** Returns a JSON array of about `bytes` bytes: mostly text, as documents are. */
function jsonOf(bytes: number): string {
  const length = bytes / (JSON.stringify(documentOf(100)).length + 1);
  return JSON.stringify(Array.from({ length }, (_, id) => documentOf(id)));
}

const encode = (value: Value): Buffer =>
  typeof value === "string"
    ? Buffer.from(`+${value}\r\n`)
    : Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from("\r\n")]);

export function redisReply(args: readonly string[]): Buffer {
  if (args[0]!.toUpperCase() !== "HELLO") return encode(replyTo(args));
  const fields = ["server", "redis", "version", "7.0.0"].map((text) => encode(Buffer.from(text))).join("");
  return Buffer.from(args[1] === "3" ? `%3\r\n${fields}$5\r\nproto\r\n:3\r\n` : `*4\r\n${fields}`);
}

export type RequestHead = ReturnType<typeof parseRequestHead>;

/**
 * Parses a request's head.
 * @returns the path behind its slash, the response format, and the length of the body in bytes
 * @throws if it has no Content-Length
 */
export function parseRequestHead(head: string) {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error("The fixed server takes no request without a Content-Length.");
  return {
    route: /^POST \/(\S*)/.exec(head)?.[1] ?? "",
    resp2: /\r\nupstash-response-format: *resp2/i.test(head),
    base64: /\r\nupstash-encoding: *base64/i.test(head),
    length: Number(length),
  };
}

/** Returns the whole HTTP response, with the headers of warmline-gateway. */
export function buildResponse(request: RequestHead, body: string): Buffer {
  const content = contentOf(request, JSON.parse(body));
  const type = request.resp2 ? "application/vnd.redis.resp2" : "application/json";
  const head =
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nWarmline-Gateway: 0.1.0\r\n` +
    `Content-Length: ${content.length}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=310\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

function contentOf({ route, resp2, base64 }: RequestHead, body: readonly unknown[]): Buffer {
  const isSingle = route === "";
  const commands = (isSingle ? [body] : body) as readonly (readonly unknown[])[];
  const values = commands.map((args) => replyTo(args.map(String)));
  if (resp2)
    return Buffer.concat([Buffer.from(isSingle ? "" : `*${values.length}\r\n`), ...values.map(encode)]);
  // Strings are in base64 if requested, except a status.
  const textOf = (value: Value) =>
    typeof value === "string" ? value : value.toString(base64 ? "base64" : "utf8");
  const results = values.map((value) => ({ result: textOf(value) }));
  return Buffer.from(JSON.stringify(isSingle ? results[0] : results));
}
