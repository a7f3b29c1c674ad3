const CR = 0x0d;
const DOLLAR = 0x24;
const STAR = 0x2a;

/** A decoded reply: text byte by byte (Latin-1), an integer, null, or a list of these; an error as its text. */
export type Decoded = string | number | null | Decoded[];

/** Decodes a whole RESP2 reply to a command of the gateway itself. */
export function decode(reply: Buffer): Decoded {
  return read(reply, 0).value;
}

function read(reply: Buffer, at: number): { value: Decoded; end: number } {
  const line = reply.indexOf(CR, at);
  const text = reply.toString("latin1", at + 1, line);
  let end = line + 2;
  if (reply[at] === DOLLAR) {
    if (text === "-1") return { value: null, end };
    const from = end;
    end += Number(text) + 2;
    return { value: reply.toString("latin1", from, end - 2), end };
  }
  if (reply[at] === STAR) {
    if (text === "-1") return { value: null, end };
    const value: Decoded[] = [];
    for (let left = Number(text); left > 0; left--) {
      const element = read(reply, end);
      value.push(element.value);
      end = element.end;
    }
    return { value, end };
  }
  return { value: reply[at] === 0x3a ? Number(text) : text, end };
}

/** The elements of an array reply, each as Redis's own bytes; an empty list for anything else. */
export function elementsOf(reply: Buffer): Buffer[] {
  if (reply[0] !== STAR) return [];
  const elements: Buffer[] = [];
  let at = reply.indexOf(CR) + 2;
  while (at < reply.length) {
    const end = endOf(reply, at);
    elements.push(reply.subarray(at, end));
    at = end;
  }
  return elements;
}

/** Where the reply that begins at `at` ends. */
function endOf(reply: Buffer, at: number): number {
  let end = at;
  for (let left = 1; left > 0; left--) {
    const kind = reply[end];
    const line = reply.indexOf(CR, end);
    const count = kind === DOLLAR || kind === STAR ? Number(reply.toString("latin1", end + 1, line)) : 0;
    end = line + 2;
    if (kind === DOLLAR && count >= 0) end += count + 2;
    else if (kind === STAR && count > 0) left += count;
  }
  return end;
}

/** An array reply of elements that are replies themselves. */
export function arrayOf(elements: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`*${elements.length}\r\n`), ...elements]);
}

/** An error reply. */
export function errorOf(text: string): Buffer {
  return Buffer.from(`-${text}\r\n`);
}

/** A text of any bytes, as a reply and as an argument of a command. */
export function bulkOf(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`$${content.length}\r\n`), content, Buffer.from("\r\n")]);
}

/** An integer reply. */
export function integerOf(value: number | bigint): Buffer {
  return Buffer.from(`:${value}\r\n`);
}
