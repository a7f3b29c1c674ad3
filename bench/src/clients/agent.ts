import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { BenchClient } from "../client/bench-client.js";
import { IDLE_MS, restClient, restHeaders, timeoutSignal } from "../client/rest.js";

export default {
  name: "agent",
  label: "bare agent",
  note: "The bare agent is Node's http.Agent (with TLS: https.Agent) with a hand-written request and JSON.parse, without any client library. Its sockets are unlimited, without delay, and the last one used comes first.",
  order: 4,
  standard: true,
  protocol: "http",
  advised: {
    settings:
      "Agent with timeout 1,000 ms, which closes idle sockets; signal with AbortSignal.timeout(2,000)",
    link: "https://nodejs.org/api/http.html#new-agentoptions",
  },
  connect: ({ url, token, keepAlive, timeoutMs }) => {
    const secure = url.startsWith("https:");
    const idle = timeoutMs !== undefined && { timeout: IDLE_MS };
    const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive, ...idle });
    const request = secure ? httpsRequest : httpRequest;
    const headers = restHeaders(token, true);
    const post = (path: string, body: string) =>
      new Promise<string>((resolve, reject) => {
        const length = { "Content-Length": Buffer.byteLength(body) };
        const signal = timeoutSignal(timeoutMs);
        const options = { method: "POST", agent, headers: { ...headers, ...length }, ...signal };
        const sent = request(new URL(path, url), options, (response) => text(response).then(resolve, reject));
        sent.on("error", reject);
        sent.end(body);
      });
    return restClient(post, async () => agent.destroy());
  },
} satisfies BenchClient;
