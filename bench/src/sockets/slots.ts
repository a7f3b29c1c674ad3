import { slotOf } from "warmline-testbed";

/** Some slots of a cluster, the port of the primary that holds them, and those of its replicas. */
export type SlotRange = ReturnType<typeof slotRanges>[number];

type Node = readonly [host: string, port: number, ...rest: unknown[]];
/** The reply to CLUSTER SLOTS: per range its ends, then its nodes, the primary first. */
type SlotsReply = readonly (readonly [from: number, to: number, ...nodes: Node[]])[];

/** Returns which primary holds which slots. */
export const slotRanges = (reply: SlotsReply) =>
  reply.map(([from, to, ...nodes]) => {
    const [port, ...replicas] = nodes.map((node) => node[1]);
    return { from, to, port: port!, replicas };
  });

export const rangeOf = (ranges: readonly SlotRange[], key: string): SlotRange => {
  const slot = slotOf(Buffer.from(key));
  return ranges.find(({ from, to }) => slot >= from && slot <= to)!;
};
