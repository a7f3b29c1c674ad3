import { Agent, request } from "undici";
import type { BenchClient } from "../client/bench-client.js";
import { restClient, restHeaders, timeoutSignal } from "../client/rest.js";

const undici: BenchClient = {
  name: "undici",
  label: "undici",
  package: "undici",
  note: "undici is its Agent with default settings and a hand-written JSON.parse. No better settings are known: it does not pipeline POST requests, whatever its option pipelining is.",
  order: 6,
  standard: false,
  protocol: "http",
  timeoutSettings: "signal",
  connect: ({ url, token, keepAlive, timeoutMs }) => {
    const headers = restHeaders(token, true);
    // With pipelining 0 a connection serves one request.
    const dispatcher = new Agent({ pipelining: keepAlive ? 1 : 0 });
    return restClient(
      async (path, body) => {
        const options = { method: "POST", dispatcher, headers, body, ...timeoutSignal(timeoutMs) } as const;
        return (await request(new URL(path, url), options)).body.text();
      },
      () => dispatcher.destroy(),
    );
  },
};

export default undici;
