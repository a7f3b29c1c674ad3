import type { Context } from "../scenario.js";
import { chosenNodes, missingNote, type Node } from "./nodes.js";
import { type FixedServer, type Placement, placements, startFixedServer } from "./processes.js";

/** A server of fixed replies on its cores, and the clients' place. */
export interface FixedSite {
  readonly placement: Placement;
  readonly server: FixedServer;
}

/**
 * Starts servers of fixed replies that stop with the run, and records where they and the clients run.
 * @param wanted the number of placements; the first one has clients and server on cores of their own, if possible
 */
export async function startFixedSites(
  { settings, defer, record }: Context,
  wanted: number,
): Promise<{ readonly nodes: readonly Node[]; readonly sites: readonly [FixedSite, ...FixedSite[]] }> {
  const nodes = chosenNodes(settings.node);
  const own = placements().slice(0, wanted);
  record({ engine: "fixed replies", rttMs: 0, placements: own, nodes: nodes.map(({ version }) => version) });
  const sites: FixedSite[] = [];
  for (const placement of own) {
    const server = await startFixedServer(placement);
    defer(() => server.stop());
    sites.push({ placement, server });
  }
  return { nodes, sites: sites as [FixedSite, ...FixedSite[]] };
}

/** Notes of all scenarios that measure clients against the server of fixed replies. */
export const fixedServerNotes = ({ settings }: Context): string[] => [
  "The server sends fixed replies, over HTTP the same bytes as warmline-gateway and over TCP those of Redis, from a separate process. It uses so little CPU time that the client determines the results.",
  "Compared clients run one after another in each round, in an order determined by the seed. With taskset and two cores, client and server have a core each unless a row says otherwise.",
  ...missingNote(settings.node),
];
