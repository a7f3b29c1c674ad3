import type { Node } from "../nodes.js";
import { type Spread, spreadOf } from "../ratios.js";
import { type ByClient, COLD_CLIENTS, type PreparedStart, type Start } from "./measure.js";

/** How a first command is reached: import and command at once, or made ready in an init phase before. */
export type Way = "TLS" | "plain" | "TLS, after init" | "TLS, after init, 10 ms away";

/** Times of fresh processes with one client, in ms. */
export interface ColdRow {
  readonly node: string;
  readonly way: Way;
  readonly client: string;
  readonly importMs: Spread;
  readonly cpuMs: Spread;
  /** Import and first command; or import and making ready. */
  readonly beforeMs: Spread;
  /** The first command of the handler, and the median of those after it; none where import and command are one. */
  readonly firstMs?: Spread;
  readonly warmMs?: Spread;
}

/** The rows of one node and way, a client each. */
export function coldRows(node: Node, way: Way, starts: ByClient<Start | PreparedStart>): ColdRow[] {
  return COLD_CLIENTS.filter((client) => starts[client].length > 0).map((client) => {
    const own = starts[client];
    const spread = (of: (start: Start & PreparedStart) => number) =>
      spreadOf(own.map((start) => of(start as Start & PreparedStart)));
    return {
      node: node.version,
      way,
      client,
      importMs: spread(({ importMs }) => importMs),
      cpuMs: spread(({ cpuMs }) => cpuMs),
      beforeMs: spread(({ totalMs, initMs }) => totalMs ?? initMs),
      ...("firstMs" in own[0]! && {
        firstMs: spread(({ firstMs }) => firstMs),
        warmMs: spread(({ warmMs }) => warmMs),
      }),
    };
  });
}
