/** Redis Cluster's key slots. @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ */
const SLOTS = 16_384;

/** One step of CRC16/XMODEM (polynomial 0x1021), the checksum that the cluster specification names. */
function crc16Step(crc: number, byte: number): number {
  let next = crc ^ (byte << 8);
  for (let bit = 0; bit < 8; bit++)
    next = next & 0x8000 ? ((next << 1) ^ 0x1021) & 0xffff : (next << 1) & 0xffff;
  return next;
}

let table: Uint16Array | undefined;

function crc16(bytes: Uint8Array): number {
  table ??= new Uint16Array(256).map((_, byte) => crc16Step(0, byte));
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ byte]!;
  return crc;
}

/** Returns the part of a key that its slot derives from: what is between its first { and the next }, if anything, else all of it. */
function hashedPart(key: Uint8Array): Uint8Array {
  const open = key.indexOf(0x7b);
  const close = key.indexOf(0x7d, open + 1);
  return open !== -1 && close > open + 1 ? key.subarray(open + 1, close) : key;
}

export const slotOf = (key: Uint8Array): number => crc16(hashedPart(key)) % SLOTS;

/**
 * A name that begins with `key`, continues with `suffix`, and belongs to the slot that `key` belongs to.
 * @param suffix ASCII without braces.
 */
export function keyInSameSlot(key: Uint8Array, suffix: string): Uint8Array {
  const tagged = hashedPart(key) !== key;
  const name = new Uint8Array(key.length + suffix.length + (tagged ? 0 : SUFFIX_LENGTH));
  name.set(key);
  for (let i = 0; i < suffix.length; i++) name[key.length + i] = suffix.charCodeAt(i);
  // A tag stays the first, and so the one that counts. Without one, all of the name is hashed, and four letters
  // at its end bring the checksum to where it has to be.
  if (!tagged) {
    const at = key.length + suffix.length;
    name.fill(BASE, at);
    basis ??= createBasis();
    // CRC is linear: a bit always changes the checksum the same way, so this is 14 equations over GF(2).
    const [, bits] = reduce(basis, (crc16(key) ^ crc16(name)) % SLOTS, 0);
    for (let i = 0; i < SUFFIX_LENGTH; i++) name[at + i] = BASE | ((bits >> (BITS * i)) & (2 ** BITS - 1));
  }
  return name;
}

// Letters that differ from "@" in their five low bits alone: @ A-Z [ \ ] ^ _, no brace among them.
const BASE = 0x40;
const BITS = 5;
const SUFFIX_LENGTH = 4;

/** Vectors that are linearly independent, each with the bits in the letters that add it to the checksum's slot: an echelon form. */
let basis: [vector: number, bits: number][] | undefined;

/** Takes from a vector what the basis has of it. Returns the rest, and the bits that stand for what was taken. */
function reduce(basis: readonly [number, number][], given: number, start: number): [number, number] {
  let [vector, bits] = [given, start];
  for (const [other, otherBits] of basis) {
    // The rest gets smaller if it has the other's leading bit.
    if ((vector ^ other) < vector) {
      vector ^= other;
      bits ^= otherBits;
    }
  }
  return [vector, bits];
}

function createBasis(): [number, number][] {
  const basis: [number, number][] = [];
  for (let bit = 0; bit < BITS * SUFFIX_LENGTH; bit++) {
    const letters = new Uint8Array(SUFFIX_LENGTH);
    letters[Math.floor(bit / BITS)] = 1 << (bit % BITS);
    const [vector, bits] = reduce(basis, crc16(letters) % SLOTS, 1 << bit);
    if (vector !== 0) basis.push([vector, bits]);
  }
  return basis;
}
