import type { BenchClient } from "../client/bench-client.js";
import { connectUpstash } from "../client/upstash-client.js";

export default {
  name: "upstash",
  label: "@upstash/redis",
  package: "@upstash/redis",
  note: "@upstash/redis uses Node's fetch, which has one connection pool per process: a recreated client shares it, and the option keepAlive has no effect on it. With keep-alive off the bench adds the header Connection: close to its requests. It has auto-pipelining on, as shipped.",
  order: 3,
  standard: true,
  protocol: "http",
  advised: {
    settings:
      "retry with 0 retries, since with retry: false it sends a command twice; signal with AbortSignal.timeout(2,000)",
    link: "https://upstash.com/docs/redis/sdks/ts/retries",
  },
  connect: connectUpstash({}),
} satisfies BenchClient;
