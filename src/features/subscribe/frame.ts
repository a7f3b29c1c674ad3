/** One event of an event stream. */
export interface Frame {
  /** `message`, `pmessage`, `smessage`, `subscribe`, `psubscribe`, ... or `gap`, which has no payload. */
  readonly kind: string;
  readonly channel: string;
  /** The message, or the number of subscriptions. */
  readonly payload?: string;
  /** Channel and payload are in base64. */
  readonly exact?: true;
}

/**
 * Reads the data of an event, such as `message,channel,payload`. `name` is the requested channel or pattern: it may contain commas.
 * @param exact all parts after the kind, in base64. warmline-gateway sends it if the line can't contain the parts.
 */
export function readFrame(data: string, name: string, exact: string | undefined): Frame {
  const kind = data.slice(0, data.indexOf(","));
  if (exact !== undefined) {
    const [payload = "", channel = ""] = exact.split(",").reverse();
    return { kind, channel, payload, exact: true };
  }
  let channel = name;
  // The text after the name. Line breaks of the name are spaces in the line, so its length is the same there.
  let payload = data.slice(kind.length + name.length + 2);
  if (kind === "pmessage") {
    const comma = payload.indexOf(",");
    channel = payload.slice(0, comma);
    payload = payload.slice(comma + 1);
  }
  return { kind, channel, payload };
}
