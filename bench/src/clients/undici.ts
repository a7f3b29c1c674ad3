import { Pool } from "undici";
import type { BenchClient } from "../bench-client.js";
import { restClient, restHeaders } from "../rest.js";

const undici: BenchClient = {
  name: "undici",
  label: "undici",
  package: "undici",
  note: "undici is its Pool with default settings and a hand-written JSON.parse.",
  order: 6,
  standard: false,
  protocol: "http",
  connect: ({ url, token, keepAlive }) => {
    const headers = restHeaders(token, true);
    const { origin } = new URL(url);
    // With pipelining 0 a connection serves one request.
    const pool = new Pool(origin, { pipelining: keepAlive ? 1 : 0 });
    return restClient(
      async (path, body) => {
        const response = await pool.request({ method: "POST", path, headers, body });
        return response.body.text();
      },
      () => pool.destroy(),
    );
  },
};

export default undici;
