import { jsonResult, replyTo, resp2 } from "./replies.js";

/** A parsed request head: the path behind its slash, and the response format. */
export interface RequestHead {
  readonly route: string;
  readonly resp2: boolean;
  readonly base64: boolean;
  /** The length of the body in bytes, unless it is chunked. */
  readonly length: number;
  readonly chunked: boolean;
}

/** Parses a request's head. */
export function parseRequestHead(head: string): RequestHead {
  return {
    route: /^POST \/(\S*)/.exec(head)?.[1] ?? "",
    resp2: /\r\nupstash-response-format: *resp2/i.test(head),
    base64: /\r\nupstash-encoding: *base64/i.test(head),
    length: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0),
    chunked: /\r\ntransfer-encoding: *chunked/i.test(head),
  };
}

/**
 * Reads the body of a request.
 * @param begin where the body begins
 * @returns the body and where it ends; undefined if it is not complete
 */
export function readBody(
  bytes: Buffer,
  begin: number,
  { length, chunked }: Pick<RequestHead, "length" | "chunked">,
): { readonly body: string; readonly end: number } | undefined {
  if (!chunked) {
    const end = begin + length;
    return bytes.length < end ? undefined : { body: bytes.toString("latin1", begin, end), end };
  }
  let body = "";
  for (let at = begin; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body, end };
    body += bytes.toString("latin1", lineEnd + 2, end - 2);
    at = end;
  }
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

function contentOf({ route, ...form }: RequestHead, body: unknown[]): Buffer {
  const single = route === "";
  const replies = (single ? [body] : (body as unknown[][])).map(replyTo);
  if (form.resp2) return resp2(single ? replies[0]! : replies);
  const json = replies.map((reply) => ({ result: jsonResult(reply, form.base64) }));
  return Buffer.from(JSON.stringify(single ? json[0] : json));
}

/** Returns the replies to the complete RESP commands at the beginning of a text, and the length of these commands. */
export function redisReplies(
  text: string,
  cached: (command: string, make: () => Buffer) => Buffer,
): { readonly length: number; readonly replies: Buffer } {
  const replies: Buffer[] = [];
  let begin = 0;
  for (;;) {
    const end = commandEnd(text, begin);
    if (end === undefined) break;
    const command = text.slice(begin, end);
    replies.push(cached(command, () => resp2(replyTo(argsOf(command)))));
    begin = end;
  }
  return { length: begin, replies: replies.length === 1 ? replies[0]! : Buffer.concat(replies) };
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
