import { findRedisServer, NO_REDIS } from "warmline-testbed";
import type { BenchClient } from "./bench-client.js";
import { versionOf } from "./machine.js";

/** The clients that can run on this machine, and those that cannot. */
export interface AvailableClients {
  readonly clients: readonly BenchClient[];
  /** Whether one of them needs a Redis that answers over TCP. */
  readonly redis: boolean;
  /** Notes for the reader: skipped clients with the reason, and each client's own note. */
  readonly notes: readonly string[];
}

/** Leaves out, by name, the clients that need a `redis-server` where there is none. */
export function availableClients(clients: readonly BenchClient[]): AvailableClients {
  const found = findRedisServer() !== undefined;
  const kept = clients.filter(({ protocol }) => protocol === "http" || found);
  const out = clients.filter((client) => !kept.includes(client)).map(({ label }) => label);
  return {
    clients: kept,
    redis: kept.some(({ protocol }) => protocol === "tcp"),
    notes: [
      ...(out.length > 0 ? [`Left out: ${out.join(", ")}: ${NO_REDIS}.`] : []),
      ...kept.flatMap((client) => client.note ?? []),
    ],
  };
}

/** The versions of what was measured. */
export function versionsOf(clients: readonly BenchClient[]): Record<string, string> {
  const names = [...clients.flatMap((client) => client.package ?? []), "warmline-gateway"];
  return Object.fromEntries(names.map((name) => [name, versionOf(name)]));
}
