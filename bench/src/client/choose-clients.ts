import { UsageError } from "../util/usage.js";
import type { BenchClient } from "./bench-client.js";

/** Groups that a client belongs to by its own properties. */
const GROUPS = {
  standard: ({ standard }) => standard,
  candidates: ({ tunes, reference }) => tunes === undefined && !reference,
  shipped: ({ tunes }) => tunes === undefined,
  all: () => true,
  http: ({ protocol }) => protocol === "http",
  tcp: ({ protocol }) => protocol === "tcp",
} as const satisfies Readonly<Record<string, (client: BenchClient) => boolean>>;

/** The name of a group of clients. */
export type ClientGroup = keyof typeof GROUPS;

/** Clients that a scenario names itself, and why groups do not serve: a new client is measured only with `--clients`. */
export interface NamedClients {
  /** Groups and names; none if it measures no client unless the command line names some. */
  readonly words: readonly string[];
  /** The reason, in one sentence. */
  readonly reason: string;
}

/** A scenario, as far as its choice of clients goes. */
export interface ScenarioClients {
  /** The word on the command line; the name of its file. */
  readonly name: string;
  /**
   * The clients that it measures if the command line names none: a group or several, so that a new client belongs to them by its
   * properties. Names need a reason. None: it measures servers. Default: the standard ones.
   */
  readonly clients?: ClientGroup | readonly [ClientGroup, ...ClientGroup[]] | NamedClients | "none";
  /** With `http` it measures connections to the gateway, so that clients over TCP cannot take part. Default: any protocol. */
  readonly protocol?: "http";
}

const groupOf = (word: string): ((client: BenchClient) => boolean) | undefined =>
  Object.hasOwn(GROUPS, word) ? GROUPS[word as ClientGroup] : undefined;

function defaultWords({ clients = "standard" }: ScenarioClients): readonly string[] {
  if (clients === "none") return [];
  return typeof clients === "string" ? [clients] : "words" in clients ? clients.words : clients;
}

/**
 * Returns the clients of a run, in the order of `clients`. Groups leave out those that the scenario cannot measure; the runner
 * skips named ones with a note.
 * @param text the value of `--clients`. Default: the scenario's own choice
 * @throws UsageError if a word is neither a client nor a group
 */
export function chooseClients(
  text: string | undefined,
  scenario: ScenarioClients,
  clients: readonly BenchClient[],
): readonly BenchClient[] {
  const words = (scenario.clients === "none" ? undefined : text?.split(",")) ?? defaultWords(scenario);
  const unknown = words.find((word) => !groupOf(word) && !clients.some(({ name }) => name === word));
  if (unknown !== undefined) {
    const known = clients.map(({ name }) => name).join(", ");
    throw new UsageError(
      `Unknown client in --clients: ${unknown}. Known clients: ${known}. Groups: ${Object.keys(GROUPS).join(", ")}.`,
    );
  }
  return clients.filter(
    (client) =>
      (isMeasurable(client, scenario) || isNamed(client, words)) &&
      words.some((word) => groupOf(word)?.(client) ?? client.name === word),
  );
}

/** Checks that a scenario can measure each client that `--clients` names. @throws UsageError with the reason if not */
export function assertMeasurable(
  text: string | undefined,
  scenario: ScenarioClients,
  clients: readonly BenchClient[],
): void {
  const words = text?.split(",") ?? [];
  const other = clients.find((client) => isNamed(client, words) && !isMeasurable(client, scenario));
  if (!other) return;
  throw new UsageError(
    `--clients must name clients over HTTP for ${scenario.name}: it measures connections to the gateway, and ${other.name} connects to Redis.`,
  );
}

/** Whether the words name a client. The group of a protocol contains nothing else, so that it is as good as a name. */
const isNamed = ({ name, protocol }: BenchClient, words: readonly string[]): boolean =>
  words.includes(name) || words.includes(protocol);

/** Whether a scenario can measure a client: it may measure connections to the gateway alone. */
export const isMeasurable = (client: BenchClient, { protocol }: Pick<ScenarioClients, "protocol">): boolean =>
  protocol === undefined || client.protocol === protocol;
