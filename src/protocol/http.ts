export type HeaderValues = Readonly<Record<string, string>>;

/** One HTTP request: always a POST, to a path below the endpoint's origin. */
export interface HttpRequest {
  readonly path: string;
  /** Values by lower-case name. The object is not changed. */
  readonly headers: HeaderValues;
  readonly body: string | Uint8Array;
}

/** A complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  /** Returns a header's value by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}
