/**
 * The reason why a command has no reply from Redis.
 *
 * - `unreachable`: no connection could be opened in time
 * - `unreached`: no connection could be opened since the gateway started
 * - `full`: too many commands wait already
 * - `closing`: the gateway is shutting down
 * - `ended`: it blocked at Redis and was ended there without running, since the gateway is shutting down
 * - `lost`: the connection ended after the command was written
 * - `timeout`: the reply did not come in time after the command was written
 * - `too-large`: the reply is larger than `maxReplySize`
 * - `no-room`: the gateway had no memory left for the reply
 * - `over-budget`: the reply never fits in the memory for buffers
 * - `partial`: the command was split over several nodes, and only some of its parts ran
 * - `overtaken`: it could not run in its order, since a later command has run
 */
export type FailureReason =
  | "unreachable"
  | "unreached"
  | "full"
  | "closing"
  | "ended"
  | "lost"
  | "timeout"
  | "too-large"
  | "no-room"
  | "over-budget"
  | "partial"
  | "overtaken";

const UNSENT: readonly FailureReason[] = [
  "unreachable",
  "unreached",
  "full",
  "closing",
  "ended",
  "overtaken",
];

/** A failure between the gateway and Redis. It never holds a command's arguments. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";

  constructor(
    readonly reason: FailureReason,
    message: string,
  ) {
    super(message);
  }

  /** `unsent`: Redis did not run the command. `unknown`: it may have run. */
  get outcome(): "unsent" | "unknown" {
    return UNSENT.includes(this.reason) ? "unsent" : "unknown";
  }

  /**
   * The error code for a command of a pipeline. Clients send `UNSENT` commands again. An overtaken command must not be sent
   * again, since it would then run after the later one. Its code, `TRYAGAIN`, is Redis Cluster's for commands that can't
   * run at present.
   */
  get code(): "UNSENT" | "UNKNOWNOUTCOME" | "TRYAGAIN" {
    if (this.reason === "overtaken") return "TRYAGAIN";
    return this.outcome === "unsent" ? "UNSENT" : "UNKNOWNOUTCOME";
  }
}

/** The failure of what was not sent before the gateway closes. */
export const CLOSING = new UpstreamFailure("closing", "the gateway is closing");

/** The failure of what was not sent before its request was cancelled. */
export const CANCELLED = new UpstreamFailure("closing", "the request was cancelled");

/** Takes a large reply as it comes. After the last bytes either `end` or `fail` is called, once. */
export interface ReplyStream {
  /** Returns the number of bytes that wait for the reader. */
  write(bytes: Buffer): number;
  /** Calls `listener` once fewer than `below` bytes wait. */
  whenBelow(below: number, listener: () => void): void;
  end(): void;
  fail(failure: UpstreamFailure): void;
}

/** Returns a stream that passes everything on, and then calls `onOver` once, with the failure if it has failed. */
export function observed(
  stream: ReplyStream,
  onOver: (failure: UpstreamFailure | null) => void,
): ReplyStream {
  return {
    write: (bytes) => stream.write(bytes),
    whenBelow: (below, listener) => stream.whenBelow(below, listener),
    end() {
      stream.end();
      onOver(null);
    },
    fail(failure) {
      stream.fail(failure);
      onOver(failure);
    },
  };
}

/**
 * Receives the replies to commands. Exactly one method is called for each command: `onReply` or `onFailure`, or `onLarge` if
 * that returns a stream.
 */
export interface Receiver {
  /** Whether the replies are no longer needed, so that a command not yet written need not be sent. */
  readonly cancelled: boolean;
  /** Redis's reply as its own bytes, error replies included. `tag` is the one given with the command. */
  onReply(reply: Buffer, tag: number): void;
  /**
   * Called when a large reply has begun, with its first byte. Returns a stream for its chunks, or null to get it whole, as a
   * receiver without this method does.
   */
  onLarge?(tag: number, first: number): ReplyStream | null;
  onFailure(failure: UpstreamFailure, tag: number): void;
}
