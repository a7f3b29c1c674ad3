/** Rotates 32 bits to the left. */
const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

/**
 * Returns the digest that Redis knows a script by, as 40 hexadecimal digits. WebCrypto has no synchronous one.
 * @see https://www.rfc-editor.org/rfc/rfc3174 section 6.1
 */
export function sha1(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The message, a bit that is set, zeros, and the message's length in bits as the last 64 bits of a block.
  const padded = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(bytes.length) * 8n);

  const hash = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const words = new Int32Array(80);
  for (let block = 0; block < padded.byteLength; block += 64) {
    let [a, b, c, d, e] = hash as unknown as [number, number, number, number, number];
    for (let t = 0; t < 80; t++) {
      words[t] =
        t < 16
          ? padded.getInt32(block + 4 * t)
          : rotate(words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!, 1);
      const mixed =
        t < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : t < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : t < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6;
      [a, b, c, d, e] = [(rotate(a, 5) + mixed + e + words[t]!) | 0, a, rotate(b, 30), c, d];
    }
    for (const [i, word] of [a, b, c, d, e].entries()) hash[i]! += word;
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
