/**
 * A codec that compresses values, to stay within request limits and to save bandwidth. It needs `node:zlib`, which Node, Bun and Deno have.
 *
 * @module warmline/compress
 */

import zlib from "node:zlib";
import { ArgumentError, ConfigError, WarmlineError } from "./errors.js";
import { checkCall, checkNames, checkNumber } from "./options/check-call.js";
import type { CodecName, CodecOption, CodecValue, CustomCodec } from "./options/options.js";
import { type CommandArg, toValueArg } from "./protocol/args.js";
import { BytesBulk, toBytes } from "./protocol/bytes.js";
import { resolveCodec } from "./protocol/codec.js";

/** A format of compressed values. */
export type CompressionFormat = "gzip" | "zstd";

/** Settings of {@link compress}. */
export interface CompressOptions<Name extends CodecName = CodecName, V = unknown> {
  /**
   * The format of values that are written. Default `"gzip"`. `"zstd"` is faster, and needs Node 22.15, 23.8 or later, Bun or Deno.
   * Either setting reads values of both formats.
   */
  format?: CompressionFormat | undefined;
  /** Minimum size in bytes of a value that is compressed. Default 1,024. */
  threshold?: number | undefined;
  /** The level of the format: 0 to 9 for gzip, default 6; 1 to 22 for zstd, default 3. */
  level?: number | undefined;
  /** Maximum size in bytes of a value before compression. Default 67,108,864 (64 MiB). */
  maxSize?: number | undefined;
  /**
   * Whether compressed values are stored as text, in base64, which is a third longer. Default false. For endpoints that take bytes only
   * in single commands, such as Upstash. Either setting reads values of both kinds.
   */
  text?: boolean | undefined;
  /** The codec of the values, as for a client. Default `"json"`. */
  codec?: CodecOption<Name, V> | undefined;
}

/** A stored value can't be decompressed. */
export class CompressionError extends WarmlineError {
  /** `CompressionError`. */
  override readonly name: string = "CompressionError";

  constructor(message: string, cause?: unknown) {
    super(`compress: ${message}`, { outcome: "answered", cause });
  }
}

/** Compresses and decompresses bytes. */
interface Format {
  readonly levels: readonly [min: number, max: number];
  compress(bytes: Uint8Array, level: number | undefined): Uint8Array;
  /** @throws an error with the code ERR_BUFFER_TOO_LARGE if there are more bytes than `maxSize`. */
  decompress(bytes: Uint8Array, maxSize: number): Uint8Array;
}

/** Functions that Node has since 22.15 and 23.8. */
const { zstdCompressSync, zstdDecompressSync, constants } = zlib as unknown as {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: object) => Uint8Array;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Uint8Array;
  readonly constants: Readonly<Record<string, number>>;
};

const FORMATS: Partial<Record<CompressionFormat, Format>> = {
  gzip: {
    levels: [0, 9],
    compress: (bytes, level) => zlib.gzipSync(bytes, level === undefined ? {} : { level }),
    decompress: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
  },
  ...(zstdCompressSync &&
    zstdDecompressSync && {
      zstd: {
        levels: [1, 22],
        compress: (bytes, level) =>
          zstdCompressSync(
            bytes,
            level === undefined ? {} : { params: { [constants.ZSTD_c_compressionLevel!]: level } },
          ),
        decompress: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
      },
    }),
};

const NEEDS_ZSTD = "zstd needs a runtime that has it: Node 22.15, 23.8 or later, Bun or Deno";

/**
 * The first bytes of a compressed value, as in GLIDE, the client of Valkey. The version and the id of the format follow.
 * @see https://github.com/valkey-io/valkey-glide/blob/main/glide-core/src/compression.rs
 */
const MAGIC = "\0\u0001\u0002";
const VERSION = 0x00;
const HEADER_SIZE = 5;
/** The ids of formats in the header. GLIDE defines the ids of zstd and LZ4, and has no gzip. */
const IDS: Readonly<Record<CompressionFormat, number>> = { gzip: 0x67, zstd: 0x01 };
const LZ4 = 0x02;
/** The header of compressed bytes in base64. */
const TEXT_HEADER = /^warmline:(gzip|zstd):/;

/** Length of a text header. The headers of both formats have the same length. */
const TEXT_HEADER_SIZE = "warmline:gzip:".length;

/** Maximum number of UTF-8 bytes of a UTF-16 code unit. */
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Returns a codec that compresses values of `threshold` bytes or more: `new Redis({ codec: compress() })`. Values that do not
 * become smaller are stored uncompressed. Values without a header are not decompressed, so values that were stored before stay readable.
 *
 * Commands that change or read a part of a value, such as APPEND and GETRANGE, see compressed bytes.
 * @throws ConfigError if an option is malformed, or the runtime lacks the format. The codec throws ArgumentError for a value above
 * `maxSize`, and CompressionError for a stored value that can't be decompressed.
 */
export function compress<Name extends CodecName = "json", V = never>(
  options: CompressOptions<Name, V> = {},
  ...surplus: []
): CustomCodec<CodecValue<Name, V>> {
  const assert = checkCall(ConfigError, "compress", 1, surplus);
  checkNames(assert, options, ["format", "threshold", "level", "maxSize", "text", "codec"]);
  const { format = "gzip", threshold = 1_024, level, maxSize = 64 * 1024 * 1024, text = false } = options;
  assert(format === "gzip" || format === "zstd", 'format must be "gzip" or "zstd"');
  const writer = FORMATS[format];
  assert(writer !== undefined, NEEDS_ZSTD);
  const { levels, ...zip } = writer!;
  checkNumber(assert, "threshold", threshold, "a number of bytes", Number.MAX_SAFE_INTEGER, true);
  checkNumber(assert, "maxSize", maxSize, "a number of bytes", 2 ** 31 - 1);
  assert(typeof text === "boolean", "text must be true or false");
  const [min, max] = levels;
  assert(
    level === undefined || (Number.isInteger(level) && level >= min && level <= max),
    `level must be a whole number from ${min} to ${max} for ${format}`,
  );
  const codec = resolveCodec(options.codec ?? "json");

  return {
    encode(value) {
      const plain = codec.encode(value);
      const arg = toSendable(plain);
      // The client refuses this value, with the command's name and the argument's position.
      if (arg === undefined) return plain as string;
      const marked = isMarked(arg);
      if (!marked && arg.length * MAX_BYTES_PER_CHARACTER < threshold) return arg;
      const bytes = toBytes(arg);
      if (!marked && bytes.length < threshold) return arg;
      if (bytes.length > maxSize) {
        throw new ArgumentError(`compress: the value has ${bytes.length} bytes, and maxSize is ${maxSize}`);
      }
      const compressed = zip.compress(bytes, level);
      const stored = text
        ? `warmline:${format}:${Buffer.from(compressed).toString("base64")}`
        : Buffer.concat([toBytes(MAGIC), Uint8Array.of(VERSION, IDS[format]), compressed]);
      // A value that begins like a compressed one is always compressed, so that it is read unchanged.
      return stored.length < bytes.length || marked ? stored : arg;
    },
    decode(stored) {
      const bytes = unzip(stored, maxSize);
      return codec.decode(new BytesBulk(bytes, 0, bytes.length)) as CodecValue<Name, V>;
    },
  };
}

/** Returns a value as the client sends it, or undefined if it can't be sent. */
function toSendable(value: unknown): CommandArg | undefined {
  try {
    return toValueArg(value);
  } catch {
    return undefined;
  }
}

/** Returns the beginning of a value, as Latin-1 text (one character per byte). */
const readHead = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, TEXT_HEADER_SIZE)).toString("latin1");

/** Whether a value begins like a compressed one. */
function isMarked(arg: CommandArg): boolean {
  const head = typeof arg === "string" ? arg : readHead(arg);
  return head.startsWith(MAGIC) || TEXT_HEADER.test(head);
}

/** Returns a value as it was before compression. */
function unzip(stored: Uint8Array, maxSize: number): Uint8Array {
  const head = readHead(stored);
  const [header, name] = TEXT_HEADER.exec(head) ?? [];
  if (header !== undefined) {
    const base64 = Buffer.from(stored.subarray(header.length)).toString("latin1");
    return decompress(Buffer.from(base64, "base64"), name as CompressionFormat, maxSize);
  }
  if (stored.length < HEADER_SIZE || !head.startsWith(MAGIC)) return stored;
  const [, , , version, id] = stored;
  if (version !== VERSION) {
    throw new CompressionError(`the header has version ${version}; version ${VERSION} is known`);
  }
  const format = (Object.keys(IDS) as CompressionFormat[]).find((name) => IDS[name] === id);
  if (!format) {
    throw new CompressionError(
      `the value is compressed by backend ${id}${id === LZ4 ? ", LZ4" : ""}; only gzip and zstd are known`,
    );
  }
  return decompress(stored.subarray(HEADER_SIZE), format, maxSize);
}

function decompress(bytes: Uint8Array, format: CompressionFormat, maxSize: number): Uint8Array {
  const reader = FORMATS[format];
  if (!reader) throw new CompressionError(`the value is compressed by zstd; ${NEEDS_ZSTD}`);
  try {
    return reader.decompress(bytes, maxSize);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw code === "ERR_BUFFER_TOO_LARGE"
      ? new CompressionError(`the value has more than ${maxSize} bytes: raise maxSize`, error)
      : new CompressionError(`the value is damaged: ${message}`, error);
  }
}
