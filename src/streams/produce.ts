import type { Redis } from "../client/redis.js";
import { ArgumentError } from "../errors.js";
import { findUnknownOption } from "../options/option-names.js";
import { ABORT_FIELD, END_FIELD } from "./entry.js";
import { checkKey } from "./follow.js";

/** A chunk of a stream: the fields of an entry, or text or bytes, which become the field `data`. */
export type StreamChunk = string | Uint8Array | Record<string, unknown>;

/** Settings of produce. */
export interface ProduceOptions {
  /** Lifetime of the stream in seconds, from its last entry. Default: none. */
  ttl?: number;
  /** Maximum number of entries; older ones are trimmed. Redis may keep some more (`MAXLEN ~`). Default: none. */
  maxLen?: number;
}

/** Maximum number of entries that are sent in one request, and that wait before the stream exerts backpressure. */
const MAX_BATCH = 500;
const MAX_PENDING = 1_000;

/**
 * Returns a WritableStream whose chunks become entries of a stream. Chunks that are written during a request are sent together in the next
 * one, in their order and exactly once. `close()` adds the entry that ends the loop of `follow`; `abort()` adds one that
 * makes it throw.
 * @throws ArgumentError if an option is wrong. The stream fails with the error of a request.
 */
export function produce<V>(
  redis: Redis<V>,
  key: string,
  options: ProduceOptions = {},
): WritableStream<StreamChunk> {
  const { ttl, maxLen } = options;
  checkKey("produce", key);
  const unknown = findUnknownOption(options, ["ttl", "maxLen"]);
  if (unknown) throw new ArgumentError(`produce: ${unknown}`);
  for (const [name, value] of Object.entries({ ttl, maxLen })) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new ArgumentError(`produce: ${name} must be a whole number above 0`);
  }
  const client = redis.with({ writes: "exactly-once" });
  const trim =
    maxLen === undefined ? {} : { trim: { type: "MAXLEN", threshold: maxLen, comparison: "~" } as const };

  /** Whether the key is known to be a stream. Until then EXPIRE follows XADD in a request of its own, if that succeeds. */
  let isStream = false;

  async function send(entries: readonly Record<string, unknown>[]): Promise<void> {
    const expires = ttl !== undefined;
    // Not every endpoint takes bytes in a batch. One command alone needs none.
    const single = entries.some(hasBytes) || (entries.length === 1 && !(expires && isStream));
    // A transaction keeps the order of entries if parts of it are sent again.
    const batch = client.multi();
    for (const fields of entries) {
      if (single) await client.xadd(key, "*", fields, trim);
      else batch.xadd(key, "*", fields, trim);
    }
    const together = isStream && !single;
    if (expires && together) batch.expire(key, ttl);
    if (!single) await batch.exec();
    isStream = true;
    if (expires && !together) await client.expire(key, ttl);
  }

  let pending: Record<string, unknown>[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending.slice(0, MAX_BATCH);
      pending = pending.slice(MAX_BATCH);
      await send(batch);
    }
    flushing = undefined;
  }

  return new WritableStream<StreamChunk>({
    write(chunk, controller) {
      pending.push(fieldsOf(chunk));
      if (!flushing) {
        flushing = flush();
        flushing.catch((error) => controller.error(error));
      }
      return pending.length >= MAX_PENDING ? flushing : undefined;
    },
    async close() {
      await flushing;
      await send([{ [END_FIELD]: "" }]);
    },
    async abort() {
      await flushing;
      await send([{ [ABORT_FIELD]: "" }]);
    },
  });
}

const hasBytes = (fields: Record<string, unknown>) =>
  Object.values(fields).some((value) => value instanceof Uint8Array);

/** @throws ArgumentError if the chunk has no fields. */
function fieldsOf(chunk: StreamChunk): Record<string, unknown> {
  if (typeof chunk === "string" || chunk instanceof Uint8Array) return { data: chunk };
  const isFields = typeof chunk === "object" && chunk !== null && !Array.isArray(chunk);
  if (!isFields || Object.keys(chunk).length === 0)
    throw new ArgumentError("produce: a chunk must be text, bytes, or an object with a field or more");
  const reserved = [END_FIELD, ABORT_FIELD].find((field) => field in chunk);
  if (reserved) throw new ArgumentError(`produce: the field ${reserved} is reserved`);
  return chunk;
}
