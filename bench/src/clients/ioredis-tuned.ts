import type { BenchClient } from "../client/bench-client.js";
import { connectIoredis } from "../client/ioredis-client.js";

export default {
  name: "ioredis-tuned",
  label: "ioredis (TCP), tuned",
  package: "ioredis",
  note: "ioredis, tuned: enableAutoPipelining true, enableReadyCheck false.",
  order: 7.5,
  protocol: "tcp",
  tunes: "ioredis",
  connect: connectIoredis({ enableAutoPipelining: true, enableReadyCheck: false }),
} satisfies BenchClient;
