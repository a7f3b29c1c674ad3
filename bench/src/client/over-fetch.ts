import type { BenchClient } from "./bench-client.js";

/**
 * Returns how the bench uses a client over Node's `fetch`, whose pool no option of the client turns off: once a client without
 * keep-alive was created, all requests of the process get `Connection: close`.
 */
export const overFetch =
  (connect: BenchClient["connect"]): BenchClient["connect"] =>
  (options) => {
    if (!options.keepAlive) globalThis.fetch = closingFetch;
    return connect(options);
  };

const originalFetch = globalThis.fetch;

const closingFetch: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set("Connection", "close");
  return originalFetch(url, { ...init, headers });
};
