import { findRedisServer, NO_REDIS } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { isMeasurable } from "../client/choose-clients.js";
import { readVersion } from "../results/machine.js";
import type { Scenario } from "../scenario.js";

/**
 * Returns the clients that can run on this machine, whether one of them needs a Redis over TCP, and notes for the reader: skipped
 * clients with the reason, and each client's own note. Skipped are the clients that the scenario cannot measure, and those that need
 * a `redis-server` if there is none and the scenario brings no server for them.
 */
export function availableClients(
  clients: readonly BenchClient[],
  scenario: Pick<Scenario, "ownServer" | "protocol">,
) {
  const found = scenario.ownServer || findRedisServer() !== undefined;
  const fit = clients.filter((client) => isMeasurable(client, scenario));
  const unfit = clients.filter((client) => !fit.includes(client)).map(({ label }) => label);
  const kept = fit.filter(({ protocol }) => protocol === "http" || found);
  const out = fit.filter((client) => !kept.includes(client)).map(({ label }) => label);
  return {
    clients: kept,
    redis: kept.some(({ protocol }) => protocol === "tcp"),
    notes: [
      ...(unfit.length > 0
        ? [`Skipped: ${unfit.join(", ")}: the scenario measures connections to the gateway, not to Redis.`]
        : []),
      ...(out.length > 0 ? [`Skipped: ${out.join(", ")}: ${NO_REDIS}.`] : []),
      ...kept.flatMap((client) => client.note ?? []),
    ],
  };
}

/** Returns the versions of the measured packages. */
export function versionsOf(clients: readonly BenchClient[]): Record<string, string> {
  const names = [...clients.flatMap((client) => client.package ?? []), "warmline-gateway"];
  return Object.fromEntries(names.map((name) => [name, readVersion(name)]));
}
