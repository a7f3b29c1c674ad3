// The few elements of ASN.1 DER that a certificate needs.

/** Returns an element: tag, length and content. */
export function element(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), encodeLength(body.length), body]);
}

export const sequence = (...content: Uint8Array[]): Buffer => element(0x30, ...content);
export const set = (...content: Uint8Array[]): Buffer => element(0x31, ...content);
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const bitString = (content: Uint8Array): Buffer => element(0x03, Buffer.from([0]), content);
export const utf8String = (content: string): Buffer => element(0x0c, Buffer.from(content, "utf8"));
export const booleanTrue = (): Buffer => element(0x01, Buffer.from([0xff]));

/** A positive integer from its big-endian bytes without leading zeros. */
export function integer(bytes: Uint8Array): Buffer {
  return element(0x02, bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** An object identifier such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split(".").map(Number);
  const bytes = [first! * 40 + second!];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(0x06, Buffer.from(bytes));
}

/** A UTCTime, in seconds. Only for years from 1950 to 2049. */
export function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`));
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}
