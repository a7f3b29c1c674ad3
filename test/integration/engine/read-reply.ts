/** An error reply of Redis. */
export class RedisReplyError extends Error {}

/** Reads one RESP2 reply at an offset, or returns undefined while it is not whole. Bulk strings come as text. */
export function readReply(bytes: Buffer, at: number): { reply: unknown; end: number } | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd === -1) return undefined;
  const line = bytes.toString("utf8", at + 1, lineEnd);
  const next = lineEnd + 2;
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case "+":
      return { reply: line, end: next };
    case "-":
      return { reply: new RedisReplyError(line), end: next };
    case ":":
      return { reply: Number(line), end: next };
    case "$": {
      const length = Number(line);
      if (length === -1) return { reply: null, end: next };
      const end = next + length + 2;
      return bytes.length < end ? undefined : { reply: bytes.toString("utf8", next, end - 2), end };
    }
    case "*":
      return readArray(bytes, Number(line), next);
    default:
      throw new Error(`not RESP2: ${JSON.stringify(bytes.toString("latin1", at, at + 20))}`);
  }
}

function readArray(bytes: Buffer, count: number, start: number): { reply: unknown; end: number } | undefined {
  if (count === -1) return { reply: null, end: start };
  const items: unknown[] = [];
  let end = start;
  for (let index = 0; index < count; index += 1) {
    const item = readReply(bytes, end);
    if (item === undefined) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
