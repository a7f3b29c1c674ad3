import type { BenchClient } from "../bench-client.js";
import { restClient, restHeaders } from "../rest.js";

const bareFetch: BenchClient = {
  name: "fetch",
  label: "fetch",
  note: "fetch is Node's own, with a hand-written JSON.parse. Its connection pool belongs to the process, so a recreated client shares it. With keep-alive off each request has the header Connection: close.",
  order: 5,
  standard: false,
  protocol: "http",
  connect: ({ url, token, keepAlive }) => {
    const headers = restHeaders(token, keepAlive);
    return restClient(async (path, body) => {
      const response = await fetch(new URL(path, url), { method: "POST", headers, body });
      return response.text();
    });
  },
};

export default bareFetch;
