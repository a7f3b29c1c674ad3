// The inside of the pinned undici that we build on; its own types cover only the package's entry.
declare module "undici/lib/core/symbols.js" {
  export const kConnect: unique symbol;
}

declare module "undici/lib/dispatcher/client.js" {
  import type { Client as PublicClient } from "undici";
  import type { kConnect } from "undici/lib/core/symbols.js";

  export default class Client extends PublicClient {
    /** Connects without a request waiting; calls back once the socket is being read. */
    [kConnect](onConnected: () => void): void;
  }
}
