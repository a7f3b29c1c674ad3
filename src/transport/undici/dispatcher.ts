/** A dispatcher of undici 7 or later, by the part of its public interface that is used here. */
export interface Dispatcher {
  /**
   * Sends a request, and calls the handler with its response.
   * @returns false if the dispatcher is busy
   */
  dispatch(options: any, handler: any): boolean;
}

/** The first argument of each callback of a handler. */
export interface Controller {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/**
 * The callbacks of one request and its response. One of the last two is called at the end.
 * @see https://undici.nodejs.org/#/docs/api/Dispatcher#parameter-dispatchhandler
 */
export interface DispatchHandler {
  /** Called right before each write of the request, which a dispatcher may repeat. If this throws, the request is not written. */
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
