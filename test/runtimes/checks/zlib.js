import { CompressionError, compress } from "warmline/compress";
import { equal, rejection } from "./assert.js";

// Checks for runtimes that have `node:zlib`: the limit of decompressed bytes is the runtime's to hold.

export const zlibChecks = {
  "compressed values come back as they were": async ({ redis, key }) => {
    const value = { list: Array.from({ length: 500 }, (_, n) => ({ n, text: "grüße 🌍" })) };
    for (const options of [{}, { text: true }, ...zstd]) {
      const own = redis.with({ codec: compress(options) });
      await own.set(key("packed"), value);
      equal(await own.get(key("packed")), value);
      equal((await redis.strlen(key("packed"))) < 5_000, true, "whether it is compressed");
    }
  },

  "a value that is too large decompressed is refused": async ({ redis, key }) => {
    for (const options of [{}, ...zstd]) {
      await redis.with({ codec: compress(options) }).set(key("bomb"), "a".repeat(1_000_000));
      const error = await rejection(redis.with({ codec: compress({ maxSize: 5_000 }) }).get(key("bomb")));
      equal([error instanceof CompressionError, error.outcome], [true, "answered"]);
      equal(error.message, "compress: the value has more than 5000 bytes: raise maxSize");
    }
  },
};

/** Options of zstd, where the runtime has it. */
const zstd = [{ format: "zstd" }].filter((options) => {
  try {
    return compress(options);
  } catch {
    return false;
  }
});
