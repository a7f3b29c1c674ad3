/** A dispatcher of undici 7 or later, by the part of its public interface that is used here. */
export interface Dispatcher {
  /** Sends a request, and calls the handler with its response. */
  dispatch(request: any, handler: any): unknown;
}

/** What callbacks of a handler can do with their request. */
export interface Controller {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/**
 * The callbacks of one request and its response. At the end either `onResponseEnd` or `onResponseError` is called.
 * @see https://undici.nodejs.org/#/docs/api/Dispatcher#parameter-dispatchhandler
 */
export interface DispatchHandler {
  /** Called right before the request is written. A dispatcher may write it more than once. If this throws, the request is not written. */
  onRequestStart(controller: Controller): void;
  /** A status below 200 is informational: another response follows (RFC 9110, section 15.2). */
  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void;
  onResponseData(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller | undefined, cause: Error): void;
}

/** Dispatches a request. An error that the dispatcher throws goes to the handler. */
export function dispatch(dispatcher: Dispatcher, request: object, handler: DispatchHandler): void {
  try {
    dispatcher.dispatch(request, handler);
  } catch (error) {
    handler.onResponseError(undefined, error as Error);
  }
}
