/** One HTTP request: always a POST, to a path below the endpoint's origin. */
export interface HttpRequest {
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

/** A whole HTTP response. */
export interface HttpResponse {
  readonly status: number;
  /** A header's value by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}
