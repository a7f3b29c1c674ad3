/** Redis Cluster's slot of a key, bit by bit as specified: CRC16/XMODEM of the key or of its hash tag. */
export function slotOf(key: Uint8Array): number {
  const open = key.indexOf(0x7b);
  const close = open === -1 ? -1 : key.indexOf(0x7d, open + 1);
  let crc = 0;
  for (const byte of close > open + 1 ? key.subarray(open + 1, close) : key) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc % 16_384;
}
