import { type Endpoint, refusedToken } from "../options/endpoint.js";
import type { HttpResponse } from "./http.js";
import { IS_ENDPOINT, MalformedReply } from "./malformed.js";
import { ErrorReply, type RawReply } from "./reply.js";
import type { EncodedRequest } from "./rest-protocol.js";

/**
 * Reads the reply in a response. A result counts with a status of 2xx only, an error with 4xx too. The error of a refused
 * token names the endpoint, and where the token came from.
 * @throws MalformedReply which names the status, and for a redirect its target's origin. Path and query may hold secrets.
 */
export function readReply(
  encoded: EncodedRequest,
  response: HttpResponse,
  endpoint: Endpoint | undefined,
): RawReply {
  const { status } = response;
  const read = () => {
    const reply = encoded.read(response);
    if (!(endpoint && reply instanceof ErrorReply)) return reply;
    if (status === 401) return new ErrorReply(reply.message + refusedToken(endpoint));
    if (!endpoint.path || !/unknown command/.test(reply.message)) return reply;
    return new ErrorReply(reply.message.replace(/(, with args.*)?$/s, "; is the path of url right?"));
  };
  if (status === 200) return read();
  // In browsers the status of a redirect that is not followed is 0.
  if (status < 300 ? status > 0 : status >= 400) {
    try {
      const reply = read();
      if (status < 300 || isError(reply)) return reply;
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
    }
  }
  throw new MalformedReply(describeStatus(response, endpoint?.origin));
}

/**
 * Returns a sentence on a response that is no reply.
 * @param url the endpoint's, which a relative redirect goes by.
 */
export function describeStatus(response: Pick<HttpResponse, "status" | "header">, url?: string): string {
  return `the endpoint responded with status ${response.status}${redirectOf(response, url) ?? `: ${IS_ENDPOINT}`}`;
}

/** An error as RESP2 or JSON has it, or as middleware gets it. */
function isError(reply: RawReply | { readonly error?: unknown }): boolean {
  return reply instanceof ErrorReply || typeof (reply as { error?: unknown } | null)?.error === "string";
}

function redirectOf(
  response: Pick<HttpResponse, "status" | "header">,
  url: string | undefined,
): string | undefined {
  const { status } = response;
  if (status !== 0 && (status < 300 || status === 304 || status >= 400)) return undefined;
  const location = response.header("location") ?? "";
  const isUrl = location !== "" && URL.canParse(location, url);
  const target = isUrl ? new URL(location, url).origin : "another address";
  return `, a redirect to ${target}: give the final address as url`;
}
