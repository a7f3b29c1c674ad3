/** A set of bytes: 1 for each byte that belongs to it. */
function setOf(belongs: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (belongs(byte) ? 1 : 0));
}

const TOKEN_CHARACTER = /[!#$%&'*+.^_`|~0-9A-Za-z-]/;

/** Characters of a token, such as a method or the name of a header (RFC 9110, 5.6.2). */
export const TOKEN = setOf((byte) => byte < 0x80 && TOKEN_CHARACTER.test(String.fromCharCode(byte)));

/** Bytes of a request's target; those beyond ASCII belong in escapes. */
export const TARGET = setOf((byte) => byte > 0x20 && byte < 0x7f);

/** Bytes of a header's value: no control character but the tab (RFC 9110, 5.5). */
export const VALUE = setOf((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));

/** Whether a byte belongs to a set. */
export function isOneOf(set: Uint8Array, byte: number): boolean {
  return set[byte] === 1;
}
