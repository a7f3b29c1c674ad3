/**
 * Why a command has no reply of Redis.
 *
 * - `unreachable`: no connection could be had in time
 * - `full`: too many commands wait already
 * - `closing`: the gateway is shutting down
 * - `ended`: it waited at Redis, and was ended there without having run, since the gateway is shutting down
 * - `lost`: the connection ended after the command was written
 * - `timeout`: the reply did not come in time after the command was written
 * - `too-large`: the reply is larger than the gateway passes on
 * - `no-room`: the gateway had no memory left for the reply
 * - `partial`: of a command that went to several nodes a part ran and another did not
 * - `overtaken`: it could not run in its turn, and what was to run after it has run
 */
export type FailureReason =
  | "unreachable"
  | "full"
  | "closing"
  | "ended"
  | "lost"
  | "timeout"
  | "too-large"
  | "no-room"
  | "partial"
  | "overtaken";

const UNSENT: readonly FailureReason[] = ["unreachable", "full", "closing", "ended", "overtaken"];

/** A failure between the gateway and Redis. It never holds a command's arguments. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";

  constructor(
    readonly reason: FailureReason,
    message: string,
  ) {
    super(message);
  }

  /** `unsent`: Redis never saw the command. `unknown`: it may have run. */
  get outcome(): "unsent" | "unknown" {
    return UNSENT.includes(this.reason) ? "unsent" : "unknown";
  }

  /**
   * The first word of the error for a command of a pipeline. What is `UNSENT` clients send again: not what was
   * overtaken, which then would be what stays. The word for that is Redis Cluster's for what can't run at present.
   */
  get code(): "UNSENT" | "UNKNOWNOUTCOME" | "TRYAGAIN" {
    if (this.reason === "overtaken") return "TRYAGAIN";
    return this.outcome === "unsent" ? "UNSENT" : "UNKNOWNOUTCOME";
  }
}

/** Takes a large reply as it comes. After the last bytes either `end` or `fail` is called, once. */
export interface ReplyStream {
  /** Returns how many bytes wait for whoever reads them. */
  write(bytes: Buffer): number;
  /** Calls `listener` once fewer than `below` bytes wait. */
  whenBelow(below: number, listener: () => void): void;
  end(): void;
  fail(failure: UpstreamFailure): void;
}

/**
 * Takes the answers to commands. For each command that was sent exactly one call is made: of `onReply` or `onFailure`, or
 * of `onLarge` if that returns a stream.
 */
export interface Receiver {
  /** Whether nobody waits any more, so that a command not yet written need not be sent. */
  readonly cancelled: boolean;
  /** Redis's reply as its own bytes, error replies included. `tag` is the one given with the command. */
  onReply(reply: Buffer, tag: number): void;
  /**
   * A large reply has begun, with this byte. Returns what takes it as it comes; null to get it whole, as a receiver
   * without this method does.
   */
  onLarge?(tag: number, first: number): ReplyStream | null;
  onFailure(failure: UpstreamFailure, tag: number): void;
}
