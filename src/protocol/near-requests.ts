/** A request whose response has a report of changed keys. */
export interface NearRequest {
  /** The value of its header. */
  readonly header: string;
  /** Called with the header of its response, before the reply is read. */
  onResponse(report: string | undefined): void;
}

/** The header of requests that asks the gateway to report changed keys. */
export interface NearRequests {
  /** Called when a request is encoded. `argv` holds the arguments of its command, or those of each command of a batch. */
  onRequest(argv: readonly unknown[]): NearRequest;
}
