import { UsageError } from "../util/usage.js";
import type { BenchClient } from "./bench-client.js";

type Clients = readonly BenchClient[];

/** For each group, whether a client belongs to it. */
const GROUPS: ReadonlyMap<string, (client: BenchClient) => boolean> = new Map([
  ["standard", ({ standard }) => standard === true],
  ["candidates", ({ tunes, reference }) => tunes === undefined && !reference],
  ["all", () => true],
  ["http", ({ protocol }) => protocol === "http"],
  ["tcp", ({ protocol }) => protocol === "tcp"],
]);

export interface ScenarioClients {
  /** Its name on the command line and of its file. */
  readonly name: string;
  /**
   * The clients that it measures without `--clients`: groups and names, as on the command line; "none" if it measures servers. A
   * scenario that names clients leaves out new ones, so a comment says why. Default: `standard`.
   */
  readonly clients?: string;
  /** With `http` it measures connections to the gateway, so that clients over TCP cannot take part. Default: any protocol. */
  readonly protocol?: "http";
}

/**
 * Returns the clients of a run, in the order of `clients`. Of a group, it leaves out clients that the scenario cannot measure.
 * Clients named by `--clients` stay, and the runner skips them with a note.
 * @param text the value of `--clients`. Default: the scenario's own choice
 * @throws UsageError if a word is neither a client nor a group
 */
export function chooseClients(
  text: string | undefined,
  scenario: ScenarioClients,
  clients: Clients,
): Clients {
  const { clients: byDefault = "standard" } = scenario;
  if (byDefault === "none") return [];
  const words = (text ?? byDefault).split(",");
  const names = clients.map(({ name }) => name);
  const unknown = words.find((word) => !GROUPS.has(word) && !names.includes(word));
  if (unknown !== undefined) {
    const groups = [...GROUPS.keys()].join(", ");
    throw new UsageError(
      `Unknown client in --clients: ${unknown}. Known clients: ${names.join(", ")}. Groups: ${groups}.`,
    );
  }
  return clients.filter(
    (client) =>
      (isMeasurable(client, scenario) || isNamed(client, words)) &&
      words.some((word) => GROUPS.get(word)?.(client) ?? client.name === word),
  );
}

/** Checks that a scenario can measure each client that `--clients` names. @throws UsageError with the reason if not */
export function assertMeasurable(
  text: string | undefined,
  scenario: ScenarioClients,
  clients: Clients,
): void {
  const words = text?.split(",") ?? [];
  const other = clients.find((client) => isNamed(client, words) && !isMeasurable(client, scenario));
  if (!other) return;
  throw new UsageError(
    `--clients must name clients over HTTP for ${scenario.name}: it measures connections to the gateway, and ${other.name} connects to Redis.`,
  );
}

/** Whether the words contain a client's name, or its protocol, which names all clients of that protocol. */
const isNamed = ({ name, protocol }: BenchClient, words: readonly string[]): boolean =>
  words.includes(name) || words.includes(protocol);

/** Whether a scenario can measure a client. A scenario with a protocol measures only clients of that protocol. */
export const isMeasurable = (client: BenchClient, { protocol }: Pick<ScenarioClients, "protocol">): boolean =>
  protocol === undefined || client.protocol === protocol;
