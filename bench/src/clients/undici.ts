import type { BenchClient } from "../bench-client.js";
import { restClient, restHeaders } from "../rest.js";

const undici: BenchClient = {
  name: "undici",
  label: "undici",
  package: "undici",
  note: "undici is its Pool with the settings that it comes with, and a JSON.parse written by hand.",
  order: 5,
  standard: false,
  protocol: "http",
  batches: false,
  load: async () => {
    const { Pool } = await import("undici");
    return ({ url, token, keepAlive }) => {
      const headers = restHeaders(token, true);
      // Its word for "a connection serves one request" is no pipelining at all.
      const pool = new Pool(url, { pipelining: keepAlive ? 1 : 0 });
      return restClient(
        async (path, body) => {
          const answer = await pool.request({ method: "POST", path, headers, body });
          return answer.body.text();
        },
        () => pool.destroy(),
      );
    };
  },
};

export default undici;
