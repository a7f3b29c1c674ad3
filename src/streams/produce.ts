import type { Redis } from "../client/redis.js";
import { ArgumentError } from "../errors.js";
import { toScopeOption, type WriteScope } from "../execution/exactly-once/scope.js";
import { checkClient, executorOf } from "../execution/executor-key.js";
import { checkCall, checkNames, checkNumber, MAX_SECONDS } from "../options/check-call.js";
import type { ScopeOptions } from "../options/options.js";
import { isBytes } from "../protocol/args.js";
import { ABORT_FIELD, END_FIELD } from "./entry.js";
import { checkKey } from "./follow.js";

/** A chunk of a stream: the fields of an entry, or text or bytes, which become the field `data`. */
export type StreamChunk = string | Uint8Array | Record<string, unknown>;

/** Settings of produce. */
export interface ProduceOptions {
  /** Lifetime of the stream in seconds, from its last entry. Default: none. */
  ttl?: number | undefined;
  /** Maximum number of entries; older ones are trimmed. Redis may keep some more (`MAXLEN ~`). Default: none. */
  maxLen?: number | undefined;
}

/** Maximum number of entries, and of their bytes, in one request. A chunk waits if twice as many are pending. */
const MAX_BATCH = 500;
const MAX_BYTES = 512 * 1024;

/** Bytes that an entry takes besides its fields: the script of an exactly-once write. */
const ENTRY_OVERHEAD = 1_024;

type Fields = Record<string, unknown>;

/**
 * Returns a WritableStream whose chunks become entries of a stream. Chunks that are written during a request are sent together in the
 * next one, in their order and exactly once. If the client has a scope, a second run adds no entry again. `close()` adds the entry
 * that ends the loop of `follow`; `abort()` adds one that makes it throw, but none if the client has a scope: then a second run
 * continues the stream.
 * @throws ArgumentError if an argument is wrong. The stream fails with the error of a request.
 */
export function produce<V>(
  redis: Redis<V>,
  key: string,
  options: ProduceOptions = {},
  ...surplus: []
): WritableStream<StreamChunk> {
  const assert = checkCall(ArgumentError, "produce", 3, surplus);
  checkClient(assert, redis);
  checkKey(assert, key);
  checkNames(assert, options, ["ttl", "maxLen"]);
  const { ttl, maxLen } = options;
  const checkWhole = (name: string, value: unknown, max: number) =>
    checkNumber(assert, name, Number.isInteger(value) ? value : undefined, "a whole number", max);
  if (ttl !== undefined) checkWhole("ttl", ttl, MAX_SECONDS);
  if (maxLen !== undefined) checkWhole("maxLen", maxLen, Number.MAX_SAFE_INTEGER);
  const scope = createEntryScope(redis);
  const isRepeatable = scope !== undefined;
  const client = redis.with({ writes: "exactly-once", ...scope });
  const trim =
    maxLen === undefined ? {} : { trim: { type: "MAXLEN", threshold: maxLen, comparison: "~" } as const };

  /** Whether the key is known to be a stream. Until then EXPIRE is sent after XADD has succeeded, in a request of its own. */
  let isStream = false;

  async function send(entries: readonly Fields[]): Promise<void> {
    const expires = ttl !== undefined;
    // Not every endpoint accepts bytes in a batch. A single command needs no batch.
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

  /** The first half of a character at the end of the last text. The next chunk begins with the second half. */
  let half = "";

  /** Adds an entry to the next request. */
  function add(fields: Fields, controller: WritableStreamDefaultController): Promise<void> | undefined {
    const bytes = ENTRY_OVERHEAD + sizeOf(fields);
    pending.push({ fields, bytes });
    pendingBytes += bytes;
    if (!flushing) {
      flushing = flush();
      flushing.catch((error) => controller.error(error));
    }
    return pending.length >= 2 * MAX_BATCH || pendingBytes >= 2 * MAX_BYTES ? flushing : undefined;
  }

  let pending: { fields: Fields; bytes: number }[] = [];
  let pendingBytes = 0;
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (pending.length > 0) {
      let bytes = 0;
      const end = pending.findIndex((entry, at) => {
        bytes += entry.bytes;
        return at === MAX_BATCH || (at > 0 && bytes > MAX_BYTES);
      });
      const batch = end < 0 ? pending : pending.slice(0, end);
      pending = pending.slice(batch.length);
      pendingBytes -= batch.reduce((sum, entry) => sum + entry.bytes, 0);
      await send(batch.map(({ fields }) => fields));
    }
    flushing = undefined;
  }

  return new WritableStream<StreamChunk>({
    write(chunk, controller) {
      if (typeof chunk !== "string") {
        assertWhole(half);
        return add(toFields(chunk), controller);
      }
      const text = half + chunk;
      half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
      const whole = text.slice(0, text.length - half.length);
      return whole || !text ? add({ data: whole }, controller) : undefined;
    },
    async close() {
      assertWhole(half);
      await flushing;
      await send([{ [END_FIELD]: "" }]);
    },
    async abort() {
      await flushing;
      // A second run in the scope continues the stream.
      if (!isRepeatable) await send([{ [ABORT_FIELD]: "" }]);
    },
  });
}

/**
 * Returns the scope of the entries, if the client has a scope. Their ordinals depend neither on the batches nor on the other writes
 * of the client. EXPIRE takes no ordinal, because the number of times that it is sent depends on the batches.
 */
function createEntryScope(redis: Redis<any>): ScopeOptions | undefined {
  const { scope: outer, exactlyOnceTtl } = executorOf(redis).settings;
  if (!outer) return undefined;
  const entries = outer.fork();
  const scope: WriteScope = {
    next: (argv) => (argv[0] === "XADD" ? entries.next(argv) : undefined),
    fork: () => entries.fork(),
  };
  return { scope: toScopeOption(scope), remember: exactlyOnceTtl / 1_000 };
}

/** @throws ArgumentError if the last text ended in the middle of a character. */
function assertWhole(half: string): void {
  if (half)
    throw new ArgumentError("produce: text ends with the first half of a character, a lone surrogate");
}

const hasBytes = (fields: Fields) => Object.values(fields).some(isBytes);

/** Returns the approximate size of the fields in bytes. It is exact for ASCII, and for objects under the default codec. */
function sizeOf(fields: Fields): number {
  let size = 0;
  for (const [name, value] of Object.entries(fields)) {
    const isSized = typeof value === "string" || isBytes(value);
    size += name.length + (isSized ? value.length : jsonSize(value));
  }
  return size;
}

/** Returns the length of a value as JSON, or 0 for a value that only a custom codec can encode. */
function jsonSize(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return 0;
  }
}

/** @throws ArgumentError if the chunk has no fields. */
function toFields(chunk: StreamChunk): Fields {
  if (typeof chunk === "string" || isBytes(chunk)) return { data: chunk };
  const isFields = typeof chunk === "object" && chunk !== null && !Array.isArray(chunk);
  if (!isFields || Object.keys(chunk).length === 0)
    throw new ArgumentError("produce: a chunk must be text, bytes, or an object with a field or more");
  const reserved = [END_FIELD, ABORT_FIELD].find((field) => field in chunk);
  if (reserved) throw new ArgumentError(`produce: the field ${reserved} is reserved`);
  return chunk;
}
