import { jsonResult, type Reply, replyTo, resp2 } from "./replies.js";

/** A parsed request head: the last part of the path, the response format, and whether to respond as warmline-gateway does. */
export interface RequestHead {
  readonly route: string;
  readonly resp2: boolean;
  readonly base64: boolean;
  readonly gateway: boolean;
}

/** Parses a request's head. With a path of `/plain` the server responds as a third-party endpoint without RESP2 batches. */
export function parseRequestHead(head: string): RequestHead {
  const path = /^POST (\S*)/.exec(head)?.[1] ?? "/";
  const gateway = !path.startsWith("/plain");
  const route = path.split("/").at(-1)!;
  return {
    route: route === "plain" ? "" : route,
    resp2: /\r\nupstash-response-format: *resp2/i.test(head) && (gateway || route !== "pipeline"),
    base64: /\r\nupstash-encoding: *base64/i.test(head),
    gateway,
  };
}

/** Returns the whole HTTP response, with the headers of warmline-gateway. */
export function buildResponse(request: RequestHead, body: string): Buffer {
  const content = contentOf(request, JSON.parse(body));
  const type = request.resp2 ? "application/vnd.redis.resp2" : "application/json";
  const head =
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${request.gateway ? "Warmline-Gateway: 0.1.0\r\n" : ""}` +
    `Content-Length: ${content.length}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=310\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

function contentOf({ route, ...form }: RequestHead, body: unknown[]): Buffer {
  if (route === "") return written(replyTo(body), form);
  const replies = (body as unknown[][]).map(replyTo);
  if (form.resp2) return resp2(replies);
  return Buffer.from(JSON.stringify(replies.map((reply) => ({ result: jsonResult(reply, form.base64) }))));
}

function written(reply: Reply, form: Omit<RequestHead, "route">): Buffer {
  if (form.resp2) return resp2(reply);
  return Buffer.from(JSON.stringify({ result: jsonResult(reply, form.base64) }));
}
