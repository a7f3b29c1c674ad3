import type { Readable } from "node:stream";

const KEPT_CHARACTERS = 64 * 1024;

/** The end of a child process's output, for error messages and tests. */
export class Tail {
  text = "";

  /** Collects the text of a stream, if there is one. */
  follow(stream: Readable | null): void {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      this.text = (this.text + text).slice(-KEPT_CHARACTERS);
    });
  }
}
