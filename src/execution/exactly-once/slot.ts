import { concat, toBytes } from "../../protocol/bytes.js";

/** Number of key slots of a Redis Cluster. @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ */
const SLOTS = 16_384;

/**
 * Returns the CRC16/XMODEM of bytes, the checksum that the cluster specification names. The shifts are those of its polynomial,
 * x^16 + x^12 + x^5 + 1: a byte at a time, without a table.
 */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    let top = (crc >> 8) ^ byte;
    top ^= top >> 4;
    crc = ((crc << 8) ^ (top << 12) ^ (top << 5) ^ top) & 0xffff;
  }
  return crc;
}

/** Returns the part of a key that decides its slot: its hash tag, which is between the first { and the next }, or all of it. */
function hashedPart(key: Uint8Array): Uint8Array {
  const open = key.indexOf(0x7b);
  const close = key.indexOf(0x7d, open + 1);
  return open !== -1 && close > open + 1 ? key.subarray(open + 1, close) : key;
}

/** Returns the slot of a key in a Redis Cluster. */
export const slotOf = (key: Uint8Array): number => crc16(hashedPart(key)) % SLOTS;

/**
 * Returns a name that begins with `key`, continues with `suffix`, and belongs to the slot that `key` belongs to.
 * @param suffix ASCII without braces.
 */
export function keyInSameSlot(key: Uint8Array, suffix: string): Uint8Array {
  const tagged = hashedPart(key) !== key;
  const name = concat([key, toBytes(tagged ? suffix : `${suffix}@@@@`)]);
  // The name has the hash tag of the key. Without a tag the whole name is hashed, and four letters at its end correct the
  // checksum.
  if (!tagged) {
    const letters = name.subarray(-4);
    const difference = (crc16(key) ^ crc16(name)) % SLOTS;
    for (const [at, bits] of SLOT_BITS.entries()) {
      if ((difference >> at) & 1) for (let i = 0; i < 4; i++) letters[i]! ^= (bits >> (5 * i)) & 31;
    }
  }
  return name;
}

/**
 * For each bit of a slot, from the lowest: how the last four letters of a name change to flip that bit. CRC is linear, so this holds for
 * any name. Each letter has five bits of the number, the first letter the lowest: "@" becomes one of @ A-Z [ \ ] ^ _.
 */
const SLOT_BITS = [
  0xe84, 0x2e2a, 0x834, 0x31d8, 0x251, 0x3123, 0x2217, 0x16ed, 0x1ef8, 0x2f62, 0xaa4, 0x266a, 0x18b4, 0x10d8,
];
