import type { BenchClient } from "./bench-client.js";

/**
 * Wraps the `connect` of a client over Node's `fetch`, whose keep-alive no client option turns off. Once a client without
 * keep-alive has been created, every request of the process has `Connection: close`.
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
