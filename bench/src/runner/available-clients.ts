import { findRedisServer, NO_REDIS } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { isMeasurable, type ScenarioClients } from "../client/choose-clients.js";
import { readVersion } from "../results/machine.js";
import { grouped } from "../results/present.js";

/**
 * Returns the clients that can run on this machine, whether one of them needs a Redis over TCP, and notes for the reader: skipped
 * clients with the reason, and each client's own note.
 */
export function availableClients(clients: readonly BenchClient[], scenario: ScenarioClients) {
  const hasRedis = findRedisServer() !== undefined;
  const problemOf = (client: BenchClient) => {
    if (!isMeasurable(client, scenario))
      return "the scenario measures connections to the gateway, not to Redis";
    return client.protocol === "http" || hasRedis ? "" : NO_REDIS;
  };
  const groups = grouped(clients, problemOf);
  const kept = clients.filter((client) => problemOf(client) === "");
  const skipped = groups.flatMap(([problem, own]) =>
    problem === "" ? [] : [`Skipped: ${own.map(({ label }) => label).join(", ")}: ${problem}.`],
  );
  const notes = [...skipped, ...kept.flatMap((client) => client.note ?? [])];
  return { clients: kept, redis: kept.some(({ protocol }) => protocol === "tcp"), notes };
}

export function versionsOf(clients: readonly BenchClient[]): Record<string, string> {
  const names = [...clients.flatMap((client) => client.package ?? []), "warmline-gateway"];
  return Object.fromEntries(names.map((name) => [name, readVersion(name)]));
}
