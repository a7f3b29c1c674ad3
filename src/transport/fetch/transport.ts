import { concat } from "../../protocol/bytes.js";
import { rootCause } from "../../util/root-cause.js";
import { noStore } from "../no-store.js";
import { type AttemptListener, createStats, ResponseTooLarge, type Transport } from "../transport.js";

const { Deno, location, process } = globalThis as {
  Deno?: unknown;
  location?: { readonly origin: string };
  process?: { versions?: Record<string, string | undefined> };
};

/**
 * Returns the options of `fetch` for a body that it must not send twice.
 *
 * Deno's fetch repeats a request if the connection is lost before the response, unless the body is a stream. A Blob is read as
 * a stream, and keeps its content-length. Node's fetch repeats a request after status 421, as the Fetch standard says, unless
 * the body is a stream.
 * @see https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
 */
const sentOnce: (body: string) => object = Deno
  ? (body) => ({ body: new Blob([body]) })
  : process?.versions?.node && !process.versions.bun
    ? (body) => ({ body: new Response(body).body, duplex: "half" })
    : (body) => ({ body });

/**
 * Returns a transport over the runtime's own `fetch`, which manages connections itself. It doesn't report whether a
 * request that failed had been written, so outcomes are coarser here: once handed to fetch, a request counts as sent.
 * Nothing is shared between requests.
 */
export function createFetchTransport(origin: string, init: object, maxReplySize: number): Transport {
  const stats = createStats();
  const exchange = async (listener: AttemptListener, signal: AbortSignal) => {
    const mayRepeat = listener.numberIfNeeded();
    const { path, headers, body } = listener.take();
    listener.onStart();
    const response = await fetch(origin + path, {
      ...noStore(),
      ...init,
      method: "POST",
      // A plain object, because a patched fetch may accept nothing else. A copy, because it may change it.
      headers: { ...headers },
      // A RequestInit, a Blob and a Response take bytes as they take text.
      ...(mayRepeat ? { body: body as string } : sentOnce(body as string)),
      // A redirect would repeat the command elsewhere, or drop its body.
      redirect: "manual",
      signal,
    }).catch((cause) => explain(origin, cause, signal));
    return {
      status: response.status,
      header: (name: string) => response.headers.get(name) ?? undefined,
      body: await readBody(response, maxReplySize),
    };
  };
  return {
    stats,
    attempt(listener) {
      const controller = new AbortController();
      const { signal } = controller;
      exchange(listener, signal).then(
        // The runtime may have repeated the request by itself: the refusal of a number says nothing about an earlier copy.
        (response) => signal.aborted || listener.onResponse(response, response.status === 412),
        (cause) => {
          if (signal.aborted) return;
          // Cancels the rest of a response, for example of one that is too large.
          controller.abort();
          listener.onFailure(cause);
        },
      );
      return { abort: () => controller.abort() };
    },
    onRetry() {
      stats.retries++;
    },
  };
}

/**
 * Rejects with the cause of a failed fetch. Browsers do not tell it to a page: if a request without CORS succeeds, the cause is
 * that the endpoint does not allow the page's origin.
 */
async function explain(origin: string, cause: Error, signal: AbortSignal): Promise<never> {
  const page = location?.origin;
  if (page && !cause.cause) {
    await fetch(origin, { mode: "no-cors", signal }).catch(() => {
      throw cause;
    });
    const message = `${origin} does not allow ${page} to read its responses: start warmline-gateway with --cors ${page}`;
    throw Object.assign(new Error(message), { final: true });
  }
  throw rootCause(cause);
}

/** @throws ResponseTooLarge as soon as the body exceeds `limit` bytes. */
async function readBody(response: Response, limit: number): Promise<Uint8Array> {
  const { headers, body } = response;
  const length = headers.get("content-length");
  const parts: Uint8Array[] = [];
  let size = 0;
  const expect = (bytes: number) => {
    size += bytes;
    if (size > limit) throw new ResponseTooLarge(limit);
  };
  // An encoded body, as by gzip, decodes to more bytes than content-length declares.
  if (!body || (length !== null && !headers.has("content-encoding"))) {
    expect(Number(length));
    return new Uint8Array(await response.arrayBuffer());
  }
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concat(parts);
    expect(value.length);
    parts.push(value);
  }
}
