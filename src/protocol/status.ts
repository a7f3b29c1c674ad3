import type { HttpResponse } from "./http.js";
import { MalformedReply } from "./malformed.js";
import { ErrorReply, type RawReply } from "./reply.js";
import type { EncodedRequest } from "./rest-protocol.js";

/**
 * Reads the reply in a response. A result counts with a status of 2xx only, an error with 4xx too.
 * @param url the endpoint's, which a relative redirect goes by.
 * @throws MalformedReply which names the status, and for a redirect its target's origin. Path and query may hold secrets.
 */
export function readReply(encoded: EncodedRequest, response: HttpResponse, url: string): RawReply {
  const { status } = response;
  if (status === 200) return encoded.read(response);
  // In browsers the status of a redirect that is not followed is 0.
  if (status < 300 ? status > 0 : status >= 400) {
    try {
      const reply = encoded.read(response);
      if (status < 300 || isError(reply)) return reply;
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
    }
  }
  throw new MalformedReply(`the endpoint responded with status ${status}${redirectOf(response, url)}`);
}

/** An error as RESP2 or JSON has it, or as middleware gets it. */
function isError(reply: RawReply | { readonly error?: unknown }): boolean {
  return reply instanceof ErrorReply || typeof (reply as { error?: unknown } | null)?.error === "string";
}

function redirectOf(response: HttpResponse, url: string): string {
  const { status } = response;
  if (status !== 0 && (status < 300 || status === 304 || status >= 400)) return "";
  const location = response.header("location") ?? "";
  const isUrl = location !== "" && URL.canParse(location, url);
  const target = isUrl ? new URL(location, url).origin : "another address";
  return `, a redirect to ${target}: give the final address as url`;
}
