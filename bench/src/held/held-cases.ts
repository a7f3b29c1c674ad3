import type { BenchClient } from "../client/bench-client.js";

/** Primaries of the cluster, and processes of a pod. */
export const [NODES, PROCESSES] = [6, 4];
/** Numbers of pods, and of instances of a client. */
export const [FEW, MANY, INSTANCES] = [3, 10, 10];
/** The idle limit of Redis in s, and half of it: 300 s and 150 s in the article. */
export const [LIMIT_S, HALF_S] = [4, 2];

/** How processes reach the cluster. */
const WAYS = {
  comeAndGo: { way: "directly, new connections per request", hue: 2, gateways: "none", keep: false },
  pods: { way: "a gateway per pod, a connection per request", hue: 0, gateways: "each", keep: false },
  shared: { way: "one gateway, a connection per request", hue: 4, gateways: "one", keep: false },
  kept: { way: "directly, kept connections", hue: 1, gateways: "none", keep: true },
} as const;
export type HeldWay = keyof typeof WAYS;

/** A number of processes that reach the cluster in one way. */
export interface HeldCase {
  /** Absent: instances of a client. */
  readonly name?: HeldWay;
  readonly way: string;
  readonly hue: number;
  /** The number of gateways; 0: processes connect to the nodes. */
  readonly gateways: number;
  /** Whether a process keeps its connections for later requests. */
  readonly keep: boolean;
  readonly limitS: number;
  readonly users: number;
  readonly client?: BenchClient;
}

const halved = (label: string, limitS: number): string =>
  limitS === HALF_S ? `${label}, half the idle limit` : label;

function caseOf(name: HeldWay, pods: number, limitS = LIMIT_S): HeldCase {
  const { way, gateways, ...each } = WAYS[name];
  const number = { none: 0, one: 1, each: pods }[gateways];
  return { name, ...each, way: halved(way, limitS), gateways: number, limitS, users: pods * PROCESSES };
}

/** Instances of a client: over TCP they connect to the node that has their key, over HTTP to one gateway. */
const casesOf = (client: BenchClient): HeldCase[] =>
  (client.protocol === "tcp" ? [LIMIT_S, HALF_S] : [LIMIT_S]).map((limitS) => ({
    way: halved(`instances of ${client.label}`, limitS),
    hue: Math.floor(client.order) - 1,
    gateways: client.protocol === "tcp" ? 0 : 1,
    ...{ keep: true, limitS, users: INSTANCES, client },
  }));

/** Returns simulated processes in two numbers, and instances of each client. */
export const heldCases = (clients: readonly BenchClient[]): HeldCase[] => [
  ...[FEW, MANY].flatMap((pods) =>
    (["comeAndGo", "pods", "shared"] as const).map((name) => caseOf(name, pods)),
  ),
  caseOf("kept", MANY),
  ...(["pods", "kept"] as const).map((name) => caseOf(name, MANY, HALF_S)),
  ...clients.flatMap(casesOf),
];
