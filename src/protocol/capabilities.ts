import { Numbers } from "./numbers.js";

/** Capabilities that an endpoint has shown. */
export interface EndpointCapabilities {
  /** Whether it is warmline-gateway, as each of its responses states; undefined before the first. */
  gateway: boolean | undefined;
  /** False once it responded in JSON to a request for RESP2. */
  resp2: boolean;
  /** False once it responded with plain strings to a request for base64. */
  base64: boolean;
  /** The replication position that a read needs to see earlier writes of this process; empty before the first response. */
  syncToken: string;
  readonly numbers: Numbers;
}

const capabilitiesByUrl = new Map<string, EndpointCapabilities>();

/** Returns the known capabilities of an endpoint, shared by all its clients. */
export function getCapabilities(origin: string, path: string): EndpointCapabilities {
  const url = origin + path;
  let capabilities = capabilitiesByUrl.get(url);
  if (!capabilities) {
    capabilities = {
      gateway: undefined,
      resp2: true,
      base64: true,
      syncToken: "",
      numbers: new Numbers(path),
    };
    capabilitiesByUrl.set(url, capabilities);
  }
  return capabilities;
}
