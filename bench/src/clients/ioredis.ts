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
      "commandTimeout 2,000, which rejects a call; socketTimeout 1,000, which closes a connection without data for so long while a command waits; autoResendUnfulfilledCommands false, so that no command is sent again over the next connection; maxRetriesPerRequest 1, after which waiting commands fail while it cannot connect",
    link: "https://redis.github.io/ioredis/index.html#RedisOptions",
  },
  connect: connectIoredis({}),
} satisfies BenchClient;
