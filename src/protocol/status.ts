import { type Endpoint, refusedToken } from "../options/endpoint.js";
import type { HttpResponse } from "./http.js";
import { IS_ENDPOINT, MalformedReply } from "./malformed.js";
import { ErrorReply, type RawReply } from "./reply.js";
import type { EncodedRequest } from "./rest-protocol.js";

/**
 * Reads the reply in a response. A result needs status 2xx, an error 2xx or 4xx. The error of a refused token names the endpoint,
 * and the variable or option of the token.
 * @throws MalformedReply that names the status, and of a redirect's target only the origin: its path and query may contain secrets.
 */
export function readReply(
  encoded: EncodedRequest,
  response: HttpResponse,
  endpoint: Endpoint | undefined,
): RawReply {
  const { status } = response;
  const read = () => {
    const reply = encoded.read(response);
    if (!endpoint || !(reply instanceof ErrorReply)) return reply;
    if (status === 401) return new ErrorReply(reply.message + refusedToken(endpoint));
    if (!endpoint.path || !/unknown command/.test(reply.message)) return reply;
    return new ErrorReply(`${reply.message.replace(/, with args.*$/s, "")}; is the path of url right?`);
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
 * Describes a response that is not a reply.
 * @param url the URL of the endpoint, to which a redirect may be relative.
 */
export function describeStatus(response: Pick<HttpResponse, "status" | "header">, url?: string): string {
  return `the endpoint responded with status ${response.status}${describeRedirect(response, url) ?? `: ${IS_ENDPOINT}`}`;
}

/** Whether a reply is an error of RESP2 or JSON, or the error that middleware gets. */
function isError(reply: RawReply | { readonly error?: unknown }): boolean {
  return reply instanceof ErrorReply || typeof (reply as { error?: unknown } | null)?.error === "string";
}

function describeRedirect(
  response: Pick<HttpResponse, "status" | "header">,
  url: string | undefined,
): string | undefined {
  const { status } = response;
  if (status !== 0 && (status < 300 || status === 304 || status >= 400)) return undefined;
  const location = response.header("location");
  const isUrl = location && URL.canParse(location, url);
  const target = isUrl ? new URL(location, url).origin : "another address";
  return `, a redirect to ${target}: give the final address as url`;
}
