import type { BenchClient } from "../client/bench-client.js";
import { connectIoredis } from "../client/ioredis-client.js";

const ioredisTuned: BenchClient = {
  name: "ioredis-tuned",
  label: "ioredis (TCP), tuned",
  package: "ioredis",
  note: "ioredis, tuned: enableAutoPipelining true, enableReadyCheck false.",
  order: 7.5,
  standard: false,
  protocol: "tcp",
  tunes: "ioredis",
  connect: connectIoredis({ enableAutoPipelining: true, enableReadyCheck: false }),
};

export default ioredisTuned;
