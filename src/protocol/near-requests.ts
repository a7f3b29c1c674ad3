/** A request whose response has a report of changed keys. */
export interface NearRequest {
  /** The value of the header that asks for the report. */
  readonly header: string;
  /** Called with the report in the response's header, if there is one, before the reply is read. */
  onResponse(report: string | undefined): void;
}

/** Asks the gateway to report changed keys, by a header of each request. */
export interface NearObserver {
  /** Called when a request is encoded. @param argv the arguments of its command, or an array of them for each command of a batch. */
  onRequest(argv: readonly unknown[]): NearRequest;
}
