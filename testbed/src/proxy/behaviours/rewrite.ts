import type { Fault } from "../behaviour";
import { type Ending, end } from "./ending";

/** What {@link rewrite} takes beside the new answer. */
export interface RewriteOptions {
  /** Whether the server gets the request and answers it before the new answer goes out. Default true. */
  deliver?: boolean;
  /** How the connection is left. Default `open`. */
  leave?: Ending;
}

/** The client gets `answer`, bytes as they are, in place of what the server answered. */
export function rewrite(answer: Uint8Array | string, options: RewriteOptions = {}): Fault {
  const bytes = Buffer.from(answer as Uint8Array);
  const leave = options.leave ?? "open";
  if (options.deliver ?? true) {
    return {
      response(link, part) {
        if (!part.last) return;
        link.toClient(bytes);
        end(link, leave);
      },
    };
  }
  return {
    request(link) {
      link.toClient(bytes);
      end(link, leave);
    },
  };
}

/** An HTTP answer as bytes, its length given unless `headers` say otherwise. */
export function httpResponse(status: number, body = "", headers: Record<string, string> = {}): Buffer {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (!names.has("content-length") && !names.has("transfer-encoding")) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(
    `HTTP/1.1 ${status} ${REASONS[status] ?? "Status"}\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
  );
}

/** What a proxy answers when the server behind it failed it: 502, 503 or 504 with a page for people. */
export function proxyError(status: 502 | 503 | 504, headers: Record<string, string> = {}): Buffer {
  const page = `<html><head><title>${status} ${REASONS[status]}</title></head><body>${status}</body></html>`;
  return httpResponse(status, page, { "Content-Type": "text/html", ...headers });
}

const REASONS: Record<number, string> = {
  200: "OK",
  408: "Request Timeout",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
