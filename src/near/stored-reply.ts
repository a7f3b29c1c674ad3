import { BytesBulk, TextBulk } from "../protocol/bytes.js";
import type { Bulk, RawReply } from "../protocol/reply.js";

/** Bytes of memory that an item of a reply takes besides its content. */
const ITEM_BYTES = 48;

/**
 * Copies a reply out of its response, which is larger and would stay in memory. Returns the copy, the approximate bytes that it
 * takes in memory, and the bytes of its strings and numbers in UTF-8. With `asText` the copy keeps only the text of strings, not their bytes.
 */
export function storeReply(reply: RawReply, asText: boolean) {
  let bytes = 0;
  let contentBytes = 0;
  const copy = (item: RawReply): RawReply => {
    bytes += ITEM_BYTES;
    if (Array.isArray(item)) return item.map(copy);
    if (item === null || typeof item !== "object") {
      contentBytes += String(item).length;
      return item;
    }
    const bulk = item as Bulk;
    const content = bulk.bytes();
    contentBytes += content.length;
    if (!asText) return new BytesBulk(content, 0, content.length);
    const text = bulk.text();
    // Text that is not ASCII may take two bytes for each character.
    if (text.length < content.length) bytes += text.length;
    return new TextBulk(text);
  };
  const copied = copy(reply);
  return { reply: copied, bytes: bytes + contentBytes, contentBytes };
}
