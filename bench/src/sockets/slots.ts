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
  const slot = slotOf(key);
  return ranges.find(({ from, to }) => slot >= from && slot <= to)!;
};

/** Returns the slot of a key without a hash tag: CRC16 (XMODEM) modulo 16,384, as the Redis Cluster specification defines it. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % 16_384;
}
