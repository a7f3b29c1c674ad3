import type { BenchClient } from "./bench-client.js";

/** Open clients without keep-alive. */
let closing = 0;
let originalFetch: typeof fetch;

/**
 * Returns how the bench uses a client over Node's `fetch`, whose pool no option of the client turns off: while one without keep-alive is
 * open, all requests of the process get `Connection: close`.
 */
export const overFetch =
  (connect: BenchClient["connect"]): BenchClient["connect"] =>
  (options) => {
    if (options.keepAlive) return connect(options);
    if (closing++ === 0) closeConnections();
    const connected = connect(options);
    const close = async () => {
      await connected.close();
      if (--closing === 0) globalThis.fetch = originalFetch;
    };
    return { ...connected, close };
  };

function closeConnections(): void {
  originalFetch = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set("Connection", "close");
    return originalFetch(url, { ...init, headers });
  };
}
