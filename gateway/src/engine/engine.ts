import type { OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";

/** A Redis that the gateway can open connections to, wherever it runs. */
export interface Engine {
  /** A readable description, such as `redis 7.0.15 (started privately)`. */
  readonly description: string;
  /** A readable description of where its data is kept after its end. Absent if it is not kept. */
  readonly data?: string | undefined;
  /** The reason why acknowledged writes are not kept at present, as a sentence. Null or absent if they are. */
  readonly problem?: string | null;
  /**
   * Opens one connection that speaks RESP2. It can be written to at once: bytes written before the
   * connection is established are kept and sent in order. A connection that fails emits `error`, then `close`.
   * @param onRead where bytes that come may be put instead of being emitted as `data`, which costs less
   */
  connect(onRead?: OnReadOpts): Duplex;
  /** Adds advice to an error reply that another engine would not have. Default: nothing is added. */
  explain?(reply: Buffer): Buffer;
  /** Ends the engine and every connection to it. Calling it again waits for the same end. */
  close(): Promise<void>;
}
