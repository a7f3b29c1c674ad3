import { ownHandler, type Peer, variantEnv } from "../peer.js";

const upstash: Peer = {
  name: "upstash",
  label: "@upstash/redis",
  package: "@upstash/redis",
  note:
    "@upstash/redis leaves its connections to Node's fetch, which keeps one pool for the whole process: a recreated " +
    "client shares it, and its option keepAlive does not reach it. For keep-alive off the bench adds the header " +
    "Connection: close to its requests.",
  order: 2,
  keepalive: (variant, { url, token }) => ({
    handler: ownHandler("upstash"),
    env: { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, ...variantEnv(variant) },
  }),
  faults: [
    {
      name: "upstash",
      label: "@upstash/redis",
      function: { handler: ownHandler("faults-upstash"), env: {} },
    },
  ],
};

export default upstash;
