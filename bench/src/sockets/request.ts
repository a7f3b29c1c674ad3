import { RawConnection } from "../raw-connection.js";

/** A node of a cluster and the slots that it holds. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly port: number;
}

/**
 * One web request of a process that keeps nothing: it asks a node for the cluster's slots, connects to each node that it
 * needs, runs its commands and closes everything, as the PHP client of the article does.
 */
export async function requestToCluster(seedPort: number, keys: readonly string[]): Promise<void> {
  const open = new Map<number, RawConnection>();
  const to = async (port: number) => {
    const target = { port, tls: false, auth: { protocol: "redis" } } as const;
    if (!open.has(port)) open.set(port, await RawConnection.open(target));
    return open.get(port)!;
  };
  try {
    const ranges = slotRanges(await (await to(seedPort)).run(["CLUSTER", "NODES"]));
    for (const key of keys) {
      const slot = slotOf(key);
      const range = ranges.find(({ from, to }) => slot >= from && slot <= to)!;
      await (await to(range.port)).run(["GET", key]);
    }
  } finally {
    for (const connection of open.values()) connection.close();
  }
}

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

/** Runs one web request through the gateway, from a process that keeps no connection: opens one and closes it at the end. */
export async function requestToGateway(port: number, token: string, keys: readonly string[]): Promise<void> {
  const connection = await RawConnection.open({ port, tls: false, auth: { protocol: "http", token } });
  try {
    for (const key of keys) await connection.run(["GET", key]);
  } finally {
    connection.close();
  }
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
