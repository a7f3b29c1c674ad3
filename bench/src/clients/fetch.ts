import type { BenchClient } from "../client/bench-client.js";
import { restClient, restHeaders, timeoutSignal } from "../client/rest.js";

export default {
  name: "fetch",
  label: "fetch",
  note: "fetch is Node's own. The bench calls JSON.parse on each response. Without a dispatcher of the package undici, fetch has no connection settings. Its connection pool belongs to the process, so a recreated client shares it. With keep-alive off each request has the header Connection: close.",
  order: 5,
  protocol: "http",
  advised: {
    settings: "signal with AbortSignal.timeout(2,000); it has no option for idle connections",
    link: "https://developer.mozilla.org/en-US/docs/Web/API/AbortSignal/timeout_static",
  },
  connect: ({ url, token, keepAlive, timeoutMs }) => {
    const headers = restHeaders(token, keepAlive);
    return restClient(async (path, body) => {
      const options = { method: "POST", headers, body, ...timeoutSignal(timeoutMs) };
      return (await fetch(new URL(path, url), options)).text();
    });
  },
} satisfies BenchClient;
