import { type Dispatcher, Exchange } from "./exchange.js";

/** Opens an event stream over a dispatcher, with the arguments and the result of `fetch`. */
export function openStream(
  dispatcher: Dispatcher,
  url: string,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let output: ReadableStreamDefaultController<Uint8Array>;
    let exchange: Exchange | undefined;
    const received = new ReadableStream<Uint8Array>({
      start: (controller) => {
        output = controller;
      },
      pull: () => exchange?.resume(),
      cancel: () => exchange?.abort(),
    });
    const fail = (cause: unknown) => {
      reject(cause);
      output.error(cause);
    };
    exchange = new Exchange({
      onStart() {},
      onHead(status, header) {
        const type = header("content-type");
        const gateway = header("warmline-gateway");
        resolve(
          new Response(received, {
            status,
            headers: {
              ...(type && { "content-type": type }),
              ...(gateway && { "warmline-gateway": gateway }),
            },
          }),
        );
      },
      onData(chunk) {
        output.enqueue(chunk);
        return (output.desiredSize ?? 0) > 0;
      },
      onEnd: () => output.close(),
      onError: fail,
    });
    signal?.addEventListener("abort", () => {
      exchange.abort();
      fail(signal.reason);
    });
    // No limit on silence: the caller has its own.
    exchange.dispatch(dispatcher, { origin, path: pathname + search, method, headers, body, bodyTimeout: 0 });
  });
}
