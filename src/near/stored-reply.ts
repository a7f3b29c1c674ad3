import { BytesBulk, TextBulk } from "../protocol/bytes.js";
import type { Bulk, ErrorReply, RawReply } from "../protocol/reply.js";

/** A reply that is kept. */
export interface StoredReply {
  readonly reply: RawReply;
  /** About as many bytes as it takes in memory. */
  readonly bytes: number;
}

/** Bytes of memory that an item of a reply takes beside its content. */
const ITEM_BYTES = 32;

/**
 * Copies a reply out of the response that it is a part of, which is larger and would stay in memory.
 * @param asText whether its strings are read as text alone.
 */
export function storeReply(reply: RawReply, asText: boolean): StoredReply {
  let bytes = 0;
  const copy = (item: RawReply): RawReply => {
    bytes += ITEM_BYTES;
    if (Array.isArray(item)) return item.map(copy);
    if (typeof item === "string") bytes += item.length;
    if (item === null || typeof item !== "object") return item;
    return copyBulk(item as Exclude<typeof item, ErrorReply>);
  };
  const copyBulk = (bulk: Bulk): Bulk => {
    if (asText) {
      const text = bulk.text();
      bytes += text.length;
      return new TextBulk(text);
    }
    const content = bulk.bytes();
    bytes += content.length;
    return new BytesBulk(content, 0, content.length);
  };
  return { reply: copy(reply), bytes };
}
