/** What an endpoint has shown of itself. */
export interface Dialect {
  /** Whether it is warmline-gateway, as it says in every response; unknown before the first. */
  gateway: boolean | undefined;
  /** False once it answered in JSON where RESP2 was asked for. */
  resp2: boolean;
  /** False once it answered with plain strings where base64 was asked for. */
  base64: boolean;
  /** How far its replicas have to be for a read to see what was written through here; empty before the first response. */
  syncToken: string;
}

const dialects = new Map<string, Dialect>();

/** What is known of an endpoint, shared by every client of it. */
export function dialectOf(url: string): Dialect {
  let dialect = dialects.get(url);
  if (!dialect) {
    dialect = { gateway: undefined, resp2: true, base64: true, syncToken: "" };
    dialects.set(url, dialect);
  }
  return dialect;
}
