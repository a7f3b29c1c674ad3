import type { BenchClient } from "../client/bench-client.js";
import { connectUpstash } from "../client/upstash-client.js";

export default {
  name: "upstash-tuned",
  label: "@upstash/redis, tuned",
  package: "@upstash/redis",
  note: "@upstash/redis, tuned: responseEncoding false, enableTelemetry false, readYourWrites false; auto-pipelining stays on.",
  order: 3.5,
  protocol: "http",
  tunes: "upstash",
  connect: connectUpstash({ responseEncoding: false, enableTelemetry: false, readYourWrites: false }),
} satisfies BenchClient;
