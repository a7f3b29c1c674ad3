import type { Endpoint } from "../../bench-client.js";

/** A client in a fresh process. */
export interface ColdClient {
  command(): Promise<unknown>;
  /** Waits for what can be done before the first command. */
  ready(): Promise<void>;
}

/** A module of `bundles/` exports this. */
export type OpenCold = (endpoint: Endpoint, preconnect: boolean) => ColdClient;
