const CR = 0x0d;
const DOLLAR = 0x24;
const NONE = Buffer.alloc(0);

/**
 * Returns the elements of an array of bulk strings and integers, the form of messages and confirmations of subscriptions.
 * An integer becomes its digits, null an empty buffer. For any other well-formed reply the list is empty.
 */
export function readPush(reply: Buffer): Buffer[] {
  if (reply[0] !== 0x2a) return [];
  const elements: Buffer[] = [];
  let at = lineEnd(reply, 0) + 2;
  while (at < reply.length) {
    const end = lineEnd(reply, at);
    if (reply[at] !== DOLLAR) {
      elements.push(reply.subarray(at + 1, end));
      at = end + 2;
      continue;
    }
    const length = Number(reply.toString("latin1", at + 1, end));
    elements.push(length < 0 ? NONE : reply.subarray(end + 2, end + 2 + length));
    at = end + 2 + (length < 0 ? 0 : length + 2);
  }
  return elements;
}

function lineEnd(reply: Buffer, from: number): number {
  return reply.indexOf(CR, from);
}
