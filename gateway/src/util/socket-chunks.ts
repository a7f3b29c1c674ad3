import type { OnReadOpts } from "node:net";

/** Sockets put what they read here, one after another: a buffer made for each read would cost more than the read. */
const ARRIVED = Buffer.allocUnsafeSlow(64 * 1_024);
/** Chunks of at most this many bytes are copied byte by byte, which beats a call. */
const SHORT = 256;

/** Has a socket hand on what it reads in chunks that are the receiver's own. */
export function inChunks(onChunk: (chunk: Buffer) => void): OnReadOpts {
  return {
    buffer: ARRIVED,
    callback(size) {
      const chunk = Buffer.allocUnsafe(size);
      if (size > SHORT) ARRIVED.copy(chunk, 0, 0, size);
      else for (let i = 0; i < size; i++) chunk[i] = ARRIVED[i]!;
      onChunk(chunk);
      return true;
    },
  };
}
