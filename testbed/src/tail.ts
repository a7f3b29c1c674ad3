import type { Readable } from "node:stream";

const KEPT_CHARACTERS = 64 * 1024;

/** The last part of what a child process printed, for error messages and for tests. */
export class Tail {
  text = "";

  /** Reads a stream as UTF-8, or none. */
  follow(stream: Readable | null): void {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      this.text = (this.text + text).slice(-KEPT_CHARACTERS);
    });
  }
}
