/** The reasons why a command has no reply from Redis, and whether Redis may have run it. */
const OUTCOMES = {
  /** No connection could be opened in time. */
  unreachable: "unsent",
  /** No connection could be opened since the gateway started. */
  unreached: "unsent",
  /** Too many commands wait already. */
  full: "unsent",
  /** The gateway is shutting down. */
  closing: "unsent",
  /** It blocked at Redis and was ended there without running, since the gateway is shutting down. */
  ended: "unsent",
  /** It could not run in its order, since a later command has run. */
  overtaken: "unsent",
  /** The connection ended after the command was written. */
  lost: "unknown",
  /** The reply did not come in time after the command was written. */
  timeout: "unknown",
  /** The reply is larger than `maxReplySize`. */
  "too-large": "unknown",
  /** The gateway had no memory left for the reply. */
  "no-room": "unknown",
  /** The reply never fits in the memory for buffers. */
  "over-budget": "unknown",
  /** The command was split over several nodes, and only some of its parts ran. */
  partial: "unknown",
} as const;

export type FailureReason = keyof typeof OUTCOMES;

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
    return OUTCOMES[this.reason];
  }

  /** The code in a pipeline. Clients send `UNSENT` commands again, but an overtaken one would run too late. */
  get code(): "UNSENT" | "UNKNOWNOUTCOME" | "TRYAGAIN" {
    if (this.reason === "overtaken") return "TRYAGAIN";
    return this.outcome === "unsent" ? "UNSENT" : "UNKNOWNOUTCOME";
  }
}

/** The failure of commands that were not sent before the gateway closed. */
export const CLOSING = new UpstreamFailure("closing", "the gateway is closing");

/** The failure of commands that were not sent before their request was cancelled. */
export const CANCELLED = new UpstreamFailure("closing", "the request was cancelled");

/** Takes the bytes of a streamed reply. */
export interface ReplyStream {
  /** Returns the number of bytes that wait for the reader. */
  write(bytes: Buffer): number;
  /** Calls `listener` once fewer than `below` bytes wait. */
  whenBelow(below: number, listener: () => void): void;
  /** Called once, after the last bytes: with null, or with the failure if the reply is incomplete. */
  end(failure: UpstreamFailure | null): void;
}

/** Returns a stream that passes everything on, and then calls `onOver` once, with the failure if it has failed. */
export function observed(
  stream: ReplyStream,
  onOver: (failure: UpstreamFailure | null) => void,
): ReplyStream {
  return {
    write: (bytes) => stream.write(bytes),
    whenBelow: (below, listener) => stream.whenBelow(below, listener),
    end(failure) {
      stream.end(failure);
      onOver(failure);
    },
  };
}

/** Receives replies: of each command by `onReply`, `onFailure`, or `onLarge` if that returns a stream. */
export interface Receiver {
  /** Whether the replies are no longer needed, so that a command not yet written need not be sent. */
  readonly cancelled: boolean;
  /** Redis's reply as its own bytes, error replies included. `tag` is the one given with the command. */
  onReply(reply: Buffer, tag: number): void;
  /** A large reply has begun, with this byte. Returns a stream for its chunks, or null to get it whole. */
  onLarge?(tag: number, first: number): ReplyStream | null;
  onFailure(failure: UpstreamFailure, tag: number): void;
}
