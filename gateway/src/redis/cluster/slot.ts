import { CLOSE_BRACE, OPEN_BRACE } from "../../util/bytes.js";

/** The number of hash slots of a Redis Cluster. */
export const SLOTS = 16_384;

/** CRC16/XMODEM (polynomial 0x1021) of each byte value. The cluster specification names this checksum. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

/** Returns the slot of the key `bytes[from, to)`. If the first `{` and the next `}` enclose a hash tag, only the tag is hashed. */
export function slotOf(bytes: Buffer, from: number, to: number): number {
  let [begin, end] = [from, to];
  for (let open = from; open < to; open++) {
    if (bytes[open] !== OPEN_BRACE) continue;
    let close = open + 1;
    while (close < to && bytes[close] !== CLOSE_BRACE) close++;
    if (close < to && close > open + 1) [begin, end] = [open + 1, close];
    break;
  }
  let crc = 0;
  for (let at = begin; at < end; at++) crc = ((crc << 8) & 0xffff) ^ TABLE[(crc >> 8) ^ bytes[at]!]!;
  return crc % SLOTS;
}
