import type { Fault, ProxiedConnection } from "../proxied-connection.js";
import { type Ending, end } from "./ending.js";

/** Options of {@link rewrite}. */
export interface RewriteOptions {
  /** Whether the server gets the request and responds before the new response is sent. Default true. */
  deliver?: boolean;
  /** State of the connection afterwards. Default `open`. */
  leave?: Ending;
}

/** Returns a fault that sends `response`, unchanged, to the client instead of the server's response. */
export function rewrite(response: Uint8Array | string, options: RewriteOptions = {}): Fault {
  const bytes = Buffer.from(response as Uint8Array);
  const send = (connection: ProxiedConnection) => {
    connection.toClient(bytes);
    end(connection, options.leave ?? "open");
  };
  if (options.deliver === false) return { request: send };
  return {
    response(connection, part) {
      if (part.last) send(connection);
    },
  };
}

/** Returns an HTTP response as bytes, with a Content-Length unless `headers` have a length or encoding. */
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

/** Returns the HTML error page of a proxy whose upstream failed: 500, 502, 503 or 504. */
export function proxyError(status: 500 | 502 | 503 | 504, headers: Record<string, string> = {}): Buffer {
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
