import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { BenchClient } from "../bench-client.js";
import { restClient, restHeaders } from "../rest.js";

const agent: BenchClient = {
  name: "agent",
  label: "bare agent",
  note: "The bare agent is Node's http.Agent (with TLS: https.Agent) with a hand-written request and JSON.parse, without any client library.",
  order: 3,
  standard: true,
  protocol: "http",
  batches: false,
  load: async () => {
    const [http, https] = [await import("node:http"), await import("node:https")];
    return ({ url, token, keepAlive }) => {
      const { Agent, request } = url.startsWith("https:") ? https : http;
      const agent: Agent = new Agent({ keepAlive });
      const post = (path: string, body: string) =>
        new Promise<string>((resolve, reject) => {
          const headers = { ...restHeaders(token, true), "Content-Length": Buffer.byteLength(body) };
          const sent: ClientRequest = request(
            new URL(path, url),
            { method: "POST", agent, headers },
            (response) => textOf(response).then(resolve, reject),
          );
          sent.on("error", reject);
          sent.end(body);
        });
      return restClient(post, async () => agent.destroy());
    };
  },
};

export default agent;

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part) => {
      text += part;
    });
    response.on("end", () => resolve(text));
    response.on("error", reject);
  });
}
