import { findRedisServer, NO_REDIS } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { isMeasurable } from "../client/choose-clients.js";
import { readVersion } from "../results/machine.js";
import { grouped } from "../results/present.js";
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
  const problemOf = (client: BenchClient) => {
    if (!isMeasurable(client, scenario))
      return "the scenario measures connections to the gateway, not to Redis";
    return client.protocol === "http" || found ? "" : NO_REDIS;
  };
  const kept = clients.filter((client) => problemOf(client) === "");
  const skipped = grouped(clients, problemOf).filter(([problem]) => problem !== "");
  return {
    clients: kept,
    redis: kept.some(({ protocol }) => protocol === "tcp"),
    notes: [
      ...skipped.map(([problem, own]) => `Skipped: ${own.map(({ label }) => label).join(", ")}: ${problem}.`),
      ...kept.flatMap((client) => client.note ?? []),
    ],
  };
}

/** Returns the versions of the measured packages. */
export function versionsOf(clients: readonly BenchClient[]): Record<string, string> {
  const names = [...clients.flatMap((client) => client.package ?? []), "warmline-gateway"];
  return Object.fromEntries(names.map((name) => [name, readVersion(name)]));
}
