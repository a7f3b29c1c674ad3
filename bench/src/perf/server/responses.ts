import { jsonResult, type Reply, replyTo, resp2 } from "./replies.js";

/** A parsed request head: the last part of the path, the response format, and whether to respond as warmline-gateway does. */
export interface RequestHead {
  readonly route: string;
  readonly resp2: boolean;
  readonly base64: boolean;
  readonly gateway: boolean;
}

/** Reads a request's head, whose path may begin with `/plain`: then the server is none of ours, and knows no RESP2 batches. */
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

/** The whole HTTP answer, with the headers that warmline-gateway gives. */
export function buildResponse(asked: RequestHead, body: string): Buffer {
  const content = contentOf(asked, JSON.parse(body));
  const type = asked.resp2 ? "application/vnd.redis.resp2" : "application/json";
  const head =
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${asked.gateway ? "Warmline-Gateway: 0.1.0\r\n" : ""}` +
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
