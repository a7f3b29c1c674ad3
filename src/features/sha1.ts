import { toBytes, toHex } from "../protocol/bytes.js";

/** Returns the SHA-1 digest by which Redis identifies a script, in hexadecimal digits. */
export async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", toBytes(text));
  return toHex(new Uint8Array(digest));
}
