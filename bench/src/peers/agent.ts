import { ownHandler, type Peer, variantEnv } from "../peer.js";

const agent: Peer = {
  name: "agent",
  label: "bare agent",
  note: "The bare agent is http.Agent (with TLS https.Agent) of Node itself, with a request and a JSON.parse written by hand: no client at all.",
  order: 3,
  keepalive: (variant, { url, token }) => ({
    handler: ownHandler("agent"),
    env: { BENCH_URL: url, BENCH_TOKEN: token, ...variantEnv(variant) },
  }),
};

export default agent;
