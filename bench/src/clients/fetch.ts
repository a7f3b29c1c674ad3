import type { BenchClient } from "../bench-client.js";
import { restClient, restHeaders } from "../rest.js";

const bareFetch: BenchClient = {
  name: "fetch",
  label: "fetch",
  note: "fetch is Node's own, with a JSON.parse written by hand. Its one pool belongs to the process: there is nothing to make anew, and for keep-alive off each request says Connection: close.",
  order: 4,
  standard: false,
  protocol: "http",
  batches: false,
  load:
    async () =>
    ({ url, token, keepAlive }) => {
      const headers = restHeaders(token, keepAlive);
      return restClient(async (path, body) => {
        const answer = await fetch(new URL(path, url), { method: "POST", headers, body });
        return answer.text();
      });
    },
};

export default bareFetch;
