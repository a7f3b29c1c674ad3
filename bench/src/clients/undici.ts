import { Agent, request } from "undici";
import type { BenchClient } from "../client/bench-client.js";
import { IDLE_MS, restClient, restHeaders, timeoutSignal } from "../client/rest.js";

export default {
  name: "undici",
  label: "undici",
  package: "undici",
  note: "undici is its Agent with default settings. The bench calls JSON.parse on each response. It does not pipeline POST requests, whatever its option pipelining is.",
  order: 6,
  protocol: "http",
  advised: {
    settings:
      "Agent with keepAliveTimeout and keepAliveMaxTimeout 1,000 ms; signal with AbortSignal.timeout(2,000)",
    link: "https://undici.nodejs.org/#/docs/api/Client",
  },
  connect: ({ url, token, keepAlive, timeoutMs }) => {
    const headers = restHeaders(token, true);
    // With pipelining 0 a connection serves one request.
    const dispatcher = new Agent({
      pipelining: keepAlive ? 1 : 0,
      ...(timeoutMs !== undefined && { keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS }),
    });
    return restClient(
      async (path, body) => {
        const options = { method: "POST", dispatcher, headers, body, ...timeoutSignal(timeoutMs) } as const;
        return (await request(new URL(path, url), options)).body.text();
      },
      () => dispatcher.destroy(),
    );
  },
} satisfies BenchClient;
