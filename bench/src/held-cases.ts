import type { BenchClient } from "./bench-client.js";

/** Numbers of simulated users, and of instances of a client. */
export const [FEW, MANY, INSTANCES] = [20, 100, 10];
/** The idle limit of Redis in s, and half of it: 300 s and 150 s in the article. */
export const [LIMIT_S, HALF_S] = [4, 2];
/** A way to reach Redis. */
interface Arm {
  readonly arm: string;
  readonly hue: number;
  readonly direct: boolean;
  readonly keep: boolean;
  readonly limitS: number;
  readonly client?: BenchClient;
}
/** The ways of simulated users. */
export const ARMS: readonly Arm[] = [
  { arm: "directly, a connection per request", hue: 2, direct: true, keep: false, limitS: LIMIT_S },
  { arm: "directly, kept connections", hue: 1, direct: true, keep: true, limitS: LIMIT_S },
  {
    arm: "directly, kept connections, half the idle limit",
    hue: 3,
    direct: true,
    keep: true,
    limitS: HALF_S,
  },
  { arm: "through the gateway, kept connections", hue: 0, direct: false, keep: true, limitS: LIMIT_S },
];
/** The ways of a client. */
const armsOf = ({ label, protocol }: BenchClient): Omit<Arm, "client">[] =>
  (protocol === "tcp" ? [LIMIT_S, HALF_S] : [LIMIT_S]).map((limitS) => ({
    arm: `${label}${limitS === HALF_S ? ", half the idle limit" : ""}`,
    ...{ hue: protocol === "tcp" ? 1 : 0, direct: protocol === "tcp", keep: true, limitS },
  }));

/** Returns simulated users in two numbers, and instances of each client. */
export const heldCases = (clients: readonly BenchClient[]): (Arm & { readonly users: number })[] => [
  ...[FEW, MANY].flatMap((users) => ARMS.map((arm) => ({ ...arm, users }))),
  ...clients.flatMap((client) => armsOf(client).map((arm) => ({ ...arm, client, users: INSTANCES }))),
];
