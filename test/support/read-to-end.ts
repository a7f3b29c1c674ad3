import type { Readable } from "node:stream";

/** Length of the tail, in bytes: the end of a body and its last chunk. */
const TAIL = 10;

/** Reads a socket to its end. Returns the number of bytes, and the last ten as text (Latin-1). */
export async function readToEnd(socket: Readable): Promise<{ received: number; tail: string }> {
  let [received, tail] = [0, ""];
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += chunk.length;
    tail = (tail + chunk.subarray(-TAIL).toString("latin1")).slice(-TAIL);
  }
  return { received, tail };
}
