import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Gateway } from "../../gateway/src/index.js";
import { listenApart } from "./listen-apart.js";

/** Starts an endpoint that is no warmline-gateway: it refuses `/follow`, and passes all other requests on to a gateway. */
export async function startPlainEndpoint(gateway: Gateway) {
  const server = createServer(async (request: IncomingMessage, response) => {
    if (request.url!.startsWith("/follow")) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"error":"ERR Command is not available: \'FOLLOW\'"}');
      return;
    }
    const headers = request.headers as Record<string, string>;
    const { authorization = "", "upstash-encoding": encoding, "content-type": type } = headers;
    const passed = await fetch(gateway.url + request.url, {
      method: "POST",
      headers: {
        authorization,
        ...(encoding && { "upstash-encoding": encoding }),
        ...(type && { "content-type": type }),
      },
      body: new Uint8Array(await buffer(request)),
    });
    response.writeHead(passed.status, { "content-type": "application/json" });
    response.end(await passed.text());
  });
  await listenApart(server);
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, port, close };
}
