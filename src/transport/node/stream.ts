import type { IncomingMessage } from "node:http";
import { builtin } from "./builtin.js";
import { type Origin, openSocket } from "./origin.js";

/** Requests an event stream on its own connection to `origin`, with the other arguments and the result of `fetch`. */
export function openStream(
  origin: Origin,
  url: string,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  const { request } = builtin("node:http");
  const { Readable } = builtin("node:stream");
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      url,
      {
        // `openSocket` sets up TLS.
        protocol: "http:",
        // Node adds any other port to the Host header.
        defaultPort: origin.tls ? 443 : 80,
        method: method!,
        headers: headers as Record<string, string>,
        signal: signal ?? undefined,
        createConnection: () => openSocket(origin),
      },
      resolve,
    );
    sent.on("error", (error) => reject(signal?.aborted ? signal.reason : error));
    sent.end(body);
  }).then((response) => {
    const { statusCode: status, headers: received } = response;
    const init = { status, headers: received as Record<string, string> };
    // The constructor throws for a status that allows no body, such as 204.
    return new Response(Readable.toWeb(response) as ReadableStream, init);
  });
}
