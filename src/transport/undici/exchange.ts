/** A dispatcher of undici 6 or later, by the part of its public interface that is used here. */
export interface Dispatcher {
  /**
   * Sends a request, and calls the handler with its response.
   * @returns false if the dispatcher is busy
   */
  dispatch(options: any, handler: any): boolean;
}

/** Callbacks of one request and its response. After `onEnd` or `onError` none is called any more. */
export interface ExchangeListener {
  /**
   * Called right before the request is written, again for each time that the dispatcher repeats it.
   * @throws Error when it must not be written any more.
   */
  onStart(): void;
  onHead(status: number, header: (name: string) => string | undefined): void;
  /** Returns whether more may come; if not, `resume` asks for it. */
  onData(chunk: Uint8Array): boolean;
  onEnd(): void;
  onError(cause: Error): void;
}

/** The first argument of undici 7 to each callback of a handler. */
interface Controller {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * One request given to a dispatcher. It has the callbacks of undici 7 and, below them, those of undici 6, which calls no
 * others. The former use the latter.
 * @see https://undici.nodejs.org/#/docs/api/Dispatcher#parameter-dispatchhandler
 */
export class Exchange {
  private ended = false;
  private cancel: ((reason: Error) => void) | undefined;
  private continueReading: (() => void) | undefined;

  constructor(private readonly listener: ExchangeListener) {}

  dispatch(dispatcher: Dispatcher, request: object): void {
    try {
      dispatcher.dispatch(request, this);
    } catch (error) {
      this.onError(error as Error);
    }
  }

  /** Ends the request. No callback follows. */
  abort(): void {
    if (this.ended) return;
    this.ended = true;
    this.cancel?.(new Error("aborted"));
  }

  /** Asks for more data after `onData` has returned false. */
  resume(): void {
    this.continueReading?.();
  }

  onRequestStart(controller: Controller): void {
    this.continueReading = () => controller.resume();
    this.onConnect((reason) => controller.abort(reason));
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    this.head(status, (name) => [headers[name]].flat().join(", ") || undefined);
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    if (!this.onData(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.onComplete();
  }

  onResponseError(_controller: Controller | undefined, cause: Error): void {
    this.onError(cause);
  }

  onConnect(cancel: (reason: Error) => void): void {
    if (this.ended) throw new Error("aborted");
    this.cancel = cancel;
    this.listener.onStart();
  }

  onHeaders(status: number, rawHeaders: readonly (Buffer | string)[], resume: () => void): boolean {
    this.continueReading = resume;
    this.head(status, (name) => findHeader(rawHeaders, name));
    return true;
  }

  onData(chunk: Uint8Array): boolean {
    return this.ended || this.listener.onData(chunk);
  }

  onComplete(): void {
    if (this.ended) return;
    this.ended = true;
    this.listener.onEnd();
  }

  onError(cause: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.listener.onError(cause);
  }

  private head(status: number, header: (name: string) => string | undefined): void {
    // Others than the final response are informational (RFC 9110, section 15.2).
    if (!this.ended && status >= 200) this.listener.onHead(status, header);
  }
}

/** Returns a header's value from names and values in turn. */
function findHeader(raw: readonly (Buffer | string)[], name: string): string | undefined {
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]!.toString().toLowerCase() === name) return raw[at + 1]!.toString();
  }
  return undefined;
}
