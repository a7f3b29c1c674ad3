import { WarmlineError } from "../errors.js";

/** Entries after the position of a follower were trimmed or deleted, so it would miss them. */
export class GapError extends WarmlineError {
  /** `GapError`. */
  override readonly name: string = "GapError";
  /** The id of the last entry that the follower has, or `0-0`. */
  readonly position: string;

  constructor(position: string, now: string) {
    super(`FOLLOW: entries after ${position} were trimmed or deleted; ${now}`, {
      outcome: "answered",
      command: "FOLLOW",
    });
    this.position = position;
  }
}
