import { type BenchClient, clientFunction, type FunctionSpec } from "../client/bench-client.js";
import type { FirstCommandEvent } from "../handlers/first-command.js";
import type { FirstWriteEvent } from "../handlers/first-write.js";
import type { Style } from "../results/result.js";
import type { Rig } from "../rig/rig.js";
import type { Settings } from "../scenario.js";

/** A way of warmline to write after a pause, or a client's command. */
export interface Way {
  readonly way: string;
  readonly writes?: string;
  readonly ready?: boolean;
  /** Other work before the write, in round trips. */
  readonly work?: number;
  /** The most times as long as a warm write. */
  readonly limit?: number;
  readonly client?: BenchClient;
  readonly command?: FirstCommandEvent["command"];
}

const WAYS: readonly Way[] = [
  { way: "PING, then the write", writes: "at-most-once", ready: false, work: 0, limit: 2.2 },
  { way: "ready() during other work", writes: "at-most-once", ready: true, work: 1.5, limit: 1.1 },
  { way: "exactly-once", writes: "exactly-once", ready: false, work: 0, limit: 1.1 },
];

/** Times in s between two invocations, in real time. */
const FROZEN_S = [0, 2, 60];
const QUICK_FROZEN_S = [0, 2];

/** Returns the ways and their pauses: warmline's with and without TLS, the clients' reads and writes with TLS. */
export function waysOf(clients: readonly BenchClient[], { quick }: Settings, tls: boolean) {
  const commands = clients.flatMap((client) =>
    (["get", "set"] as const).map(
      (command): Way => ({ way: `${client.label}, ${command.toUpperCase()}`, client, command }),
    ),
  );
  return [...WAYS, ...(tls ? commands : [])].flatMap((way) =>
    (quick ? QUICK_FROZEN_S : FROZEN_S).map((frozenS) => ({ ...way, frozenS })),
  );
}

/** Returns the invocations of an instance: fewer with long pauses, and of clients, since these are many. */
export function callsOf(
  { frozenS, client }: { readonly frozenS: number; readonly client?: BenchClient },
  { invocations }: Settings,
): number {
  return Math.max(1, Math.round((invocations * 2) / Math.max(2, frozenS) / (client ? 3 : 1)));
}

/** Returns the function and the event of a way. */
export function functionOf(
  { client, command = "get", writes = "", ready = false, work = 0 }: Way,
  { endpoint }: Rig,
  rttMs: number,
): { what: FunctionSpec; event: FirstWriteEvent | FirstCommandEvent } {
  if (client) {
    const what = clientFunction("first-command", client, { keepAlive: true, reused: true }, endpoint);
    return { what, event: { command } };
  }
  const env = { WARMLINE_URL: endpoint.url, WARMLINE_TOKEN: endpoint.token, BENCH_WRITES: writes };
  return { what: { handler: "first-write", env }, event: { ready, workMs: work * rttMs } };
}

/** Returns whether a row is what another one is compared with: warmline's warm write, or the client's warm command. */
export const isWarm = (row: Way & { frozenS: number }, other: Way) =>
  row.frozenS === 0 && row.way === (other.client ? other.way : WAYS[0]!.way);

/** The style of a way: warmline's have its colour. */
export const styleOf = ({ way, client }: Way): Style => ({
  label: way,
  hue: client ? Math.floor(client.order) - 1 : 0,
});
