/** What an endpoint has shown of itself. */
export interface EndpointCapabilities {
  /** Whether it is warmline-gateway, as it says in every response; unknown before the first. */
  gateway: boolean | undefined;
  /** False once it answered in JSON where RESP2 was asked for. */
  resp2: boolean;
  /** False once it answered with plain strings where base64 was asked for. */
  base64: boolean;
  /** How far its replicas have to be for a read to see what was written through here; empty before the first response. */
  syncToken: string;
}

const capabilitiesByUrl = new Map<string, EndpointCapabilities>();

/** What is known of an endpoint, shared by every client of it. */
export function getCapabilities(url: string): EndpointCapabilities {
  let capabilities = capabilitiesByUrl.get(url);
  if (!capabilities) {
    capabilities = { gateway: undefined, resp2: true, base64: true, syncToken: "" };
    capabilitiesByUrl.set(url, capabilities);
  }
  return capabilities;
}
