import { WarmlineError } from "../errors.js";

/** Another run of the same key holds the lease. */
export class InProgressError extends WarmlineError {
  /** `InProgressError`. */
  override readonly name: string = "InProgressError";
  /** Time at which the lease of the other run ends, in ms since 1970 by the clock of this process. */
  readonly retryAt: number;

  constructor(retryAt: number) {
    super("idempotent: another run of this key is in progress; try again at retryAt");
    this.retryAt = retryAt;
  }
}
