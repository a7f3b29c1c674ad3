import { readdirSync } from "node:fs";
import type { BenchClient } from "./client/bench-client.js";
import type { Scenario } from "./scenario.js";

/** The scenarios in the order of the pages. Others come last. */
const ORDER = [
  ...["keepalive", "sequential", "memory", "zombie", "idle", "fluid", "reconnect", "time-wait"],
  ...["request-parts", "replica-down", "established", "fleet", "cold", "throughput", "cost", "gateway"],
  ...["lambda", "near", "outage", "faults"],
];

/** Every scenario: one file each in `scenarios/`. */
export async function scenarios(): Promise<Scenario[]> {
  const found = await defaultsOf<Scenario>("scenarios");
  const place = ({ name }: Scenario) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return found.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
}

/** Every client: one file each in `clients/`. */
export async function clients(): Promise<BenchClient[]> {
  const found = await defaultsOf<BenchClient>("clients");
  return found.sort((a, b) => a.order - b.order);
}

async function defaultsOf<T>(folder: string): Promise<T[]> {
  const at = new URL(`./${folder}/`, import.meta.url);
  // Built, or as sources in tests.
  const files = readdirSync(at).filter((name) => /\.[jt]s$/.test(name));
  return Promise.all(files.map(async (name) => (await import(new URL(name, at).href)).default));
}
