/** A node of a cluster and the slots that it holds. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly port: number;
}

/** Which primary holds which slots, by the reply to CLUSTER SLOTS: per range its ends, then its nodes, the primary first. */
export const rangesOfSlots = (
  reply: readonly (readonly [from: string, to: string, primary: readonly [host: string, port: string]])[],
): SlotRange[] =>
  reply.map(([from, to, [, port]]) => ({ from: Number(from), to: Number(to), port: Number(port) }));

/** Which primary holds which slots, by the text of CLUSTER NODES. */
export function slotRanges(text: string): SlotRange[] {
  return text
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, , flags]) => flags?.includes("master"))
    .flatMap(([, address, , , , , , , ...slots]) => {
      const port = Number(/:(\d+)@/.exec(address!)![1]);
      return slots
        .filter((slot) => /^\d/.test(slot))
        .map((slot) => {
          const [from, to = from] = slot.split("-").map(Number);
          return { from: from!, to: to!, port };
        });
    });
}

/** The slot of a key without a hash tag: CRC16 (XMODEM) modulo 16,384, as the Redis Cluster specification has it. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % 16_384;
}
