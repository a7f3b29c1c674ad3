/** A request whose response has a report of changed keys. */
export interface NearRequest {
  /** The value of its header. */
  readonly header: string;
  /** Called with the header of its response, before the reply is read. */
  onResponse(report: string | undefined): void;
}

/** Adds a header to each request, by which the gateway is asked to report changed keys. */
export interface NearObserver {
  /** Called when a request is encoded. @param argv the arguments of its command, or an array of them for each command of a batch. */
  onRequest(argv: readonly unknown[]): NearRequest;
}
