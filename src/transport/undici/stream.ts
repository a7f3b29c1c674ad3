import { type Controller, type Dispatcher, dispatch } from "./dispatcher.js";

/** Opens an event stream over a dispatcher, with the arguments and the result of `fetch`. */
export function openStream(
  dispatcher: Dispatcher,
  url: string,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  // No limit on silence: the caller has its own.
  const request = { origin, path: pathname + search, method, headers, body, bodyTimeout: 0 };
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let output: ReadableStreamDefaultController<Uint8Array>;
    let controller: Controller | undefined;
    let ended = false;
    const end = (settle: () => void) => {
      if (ended) return;
      ended = true;
      settle();
    };
    const abort = () => end(() => controller?.abort(new Error("aborted")));
    const fail = (cause: unknown) => {
      reject(cause);
      output.error(cause);
    };
    const received = new ReadableStream<Uint8Array>({
      start: (streamController) => {
        output = streamController;
      },
      pull: () => controller?.resume(),
      cancel: abort,
    });
    signal?.addEventListener("abort", () => {
      abort();
      fail(signal.reason);
    });
    dispatch(dispatcher, request, {
      onRequestStart(requestController) {
        if (ended) throw new Error("aborted");
        controller = requestController;
      },
      onResponseStart(_, status, headers) {
        if (status < 200 || ended) return;
        resolve(new Response(received, { status, headers: headers as Record<string, string> }));
      },
      onResponseData(_, chunk) {
        if (ended) return;
        output.enqueue(chunk);
        if ((output.desiredSize ?? 0) <= 0) controller!.pause();
      },
      onResponseEnd: () => end(() => output.close()),
      onResponseError: (_, cause) => end(() => fail(cause)),
    });
  });
}
