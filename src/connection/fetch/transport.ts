import type { HttpRequest } from "../../wire/http.js";
import type { Attempt, AttemptListener, ConnectionStats, Transport } from "../transport.js";

/**
 * Requests over the runtime's own `fetch`, which keeps connections as it likes. It doesn't tell whether a request
 * that failed had been written, so outcomes are coarser here: once handed to fetch, a request counts as sent.
 * Nothing is shared between requests.
 */
export class FetchTransport implements Transport {
  readonly stats: ConnectionStats = { opened: 0, reused: 0, discarded: 0, retries: 0, thaws: 0 };

  constructor(
    private readonly origin: string,
    private readonly init: Readonly<Record<string, string>>,
  ) {}

  attempt(request: HttpRequest, _safe: boolean, listener: AttemptListener): Attempt {
    const controller = new AbortController();
    this.exchange(request, controller.signal, listener).then(
      (answer) => controller.signal.aborted || listener.onAnswer(answer),
      (cause) => controller.signal.aborted || listener.onFailure(cause),
    );
    return { abort: () => controller.abort() };
  }

  onRetry(): void {
    this.stats.retries++;
  }

  preconnect(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {}

  private async exchange(request: HttpRequest, signal: AbortSignal, listener: AttemptListener) {
    listener.onStart();
    const headers: [string, string][] = [];
    for (let i = 0; i < request.headers.length; i += 2) {
      headers.push([request.headers[i]!, request.headers[i + 1]!]);
    }
    const response = await fetch(this.origin + request.path, {
      ...this.init,
      method: "POST",
      headers,
      body: request.body as RequestInit["body"],
      // A redirect would repeat the command elsewhere, or drop its body.
      redirect: "manual",
      signal,
    });
    return {
      status: response.status,
      header: (name: string) => response.headers.get(name) ?? undefined,
      body: new Uint8Array(await response.arrayBuffer()),
    };
  }
}
