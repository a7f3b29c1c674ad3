import type { BenchClient } from "../client/bench-client.js";
import { connectIoredis } from "../client/ioredis-client.js";

export default {
  name: "ioredis",
  label: "ioredis (TCP)",
  package: "ioredis",
  note: "ioredis connects to Redis directly over TCP, with default settings: with a ready check (INFO), without auto-pipelining. With keep-alive off it connects for each command and disconnects after the reply.",
  order: 7,
  protocol: "tcp",
  advised: {
    settings:
      "commandTimeout 2,000, socketTimeout 1,000, maxRetriesPerRequest 1, autoResendUnfulfilledCommands false",
    link: "https://github.com/redis/ioredis#readme",
  },
  connect: connectIoredis({}),
} satisfies BenchClient;
