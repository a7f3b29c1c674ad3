import { Redis } from "warmline";
import type { BenchClient } from "../client/bench-client.js";
import { connectWarmline } from "../client/warmline-client.js";

const faultClient = (name: string, label: string, env: Record<string, string>) => {
  return { name, label, handler: "faults-warmline", env };
};

export default {
  name: "warmline",
  label: "warmline",
  package: "warmline",
  order: 1,
  standard: true,
  protocol: "http",
  connect: connectWarmline(Redis),
  faults: [
    faultClient("warmline", "warmline", {}),
    faultClient("warmline-deadline", "warmline, deadline", { BENCH_DEADLINE: "1" }),
    faultClient("warmline-once", "warmline, exactly-once", {
      BENCH_DEADLINE: "1",
      BENCH_WRITES: "exactly-once",
    }),
  ],
} satisfies BenchClient;
