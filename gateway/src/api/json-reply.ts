const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
const STAR = 0x2a;
const CR = 0x0d;

const SLAB = 64 * 1024;
/** Strings up to this many bytes are copied byte by byte, which beats a call into native code. */
const SHORT = 48;
/** Longer strings are turned in pieces, so that no text is made that is larger than a string may be. */
const PIECE = 4 * 1024 * 1024;
/** A multiple of three, so that the pieces of a long string encode to base64 without padding between them. */
const BASE64_PIECE = 3 * 64 * 1024;

let out = Buffer.allocUnsafeSlow(SLAB);
let start = 0;
let at = 0;

const NOTHING = Buffer.alloc(0);
let reply: Buffer = NOTHING;
let from = 0;

/**
 * Turns a RESP2 reply into the body of a response, `{"result":...}` or `{"error":"..."}`, from bytes to bytes.
 * In base64 every string but a top-level status `OK` and error texts is encoded. An error inside an array
 * becomes an object `{"error":"..."}`.
 */
export function jsonReply(bytes: Buffer, base64: boolean): Buffer {
  begin(bytes.length);
  item(bytes, base64);
  return end();
}

/**
 * The body for several replies, `[{"result":...},{"error":"..."}]`, or the part of it that the replies from `first` up
 * to `stop` make up.
 */
export function jsonReplies(
  replies: readonly Buffer[],
  base64: boolean,
  first = 0,
  stop = replies.length,
): Buffer {
  begin((stop - first) * 16);
  if (first === 0) push(0x5b);
  for (let i = first; i < stop; i++) {
    if (i > 0) push(0x2c);
    item(replies[i]!, base64);
  }
  if (stop === replies.length) push(0x5d);
  return end();
}

/** Returns the JSON of one array reply, such as that of EXEC, with each element as a reply of its own. */
export function jsonElements(bytes: Buffer, base64: boolean): Buffer {
  begin(bytes.length);
  reply = bytes;
  from = 1;
  const count = length();
  push(0x5b);
  for (let i = 0; i < count; i++) {
    if (i > 0) push(0x2c);
    wrapped(base64);
  }
  push(0x5d);
  return end();
}

/** The body of a response that is an error. */
export function jsonError(text: string): Buffer {
  return Buffer.from(`{"error":${JSON.stringify(text)}}`);
}

function item(bytes: Buffer, base64: boolean): void {
  reply = bytes;
  from = 0;
  wrapped(base64);
}

/** `{"result":<the reply at from>}`, or `{"error":...}`. */
function wrapped(base64: boolean): void {
  const type = reply[from]!;
  if (type === MINUS) {
    error();
    return;
  }
  ascii('{"result":');
  if (base64 && type === PLUS && isOk()) {
    ascii('"OK"');
    from += 5;
  } else value(base64);
  push(0x7d);
}

function isOk(): boolean {
  return reply[from + 1] === 0x4f && reply[from + 2] === 0x4b && reply[from + 3] === CR;
}

/** The reply at `from`, whatever its depth: a script's reply may be nested deeper than the stack. */
function value(base64: boolean): void {
  const open: number[] = [];
  for (;;) {
    const type = reply[from++]!;
    if (type === STAR) {
      const count = length();
      if (count > 0) {
        push(0x5b);
        open.push(count);
        continue;
      }
      ascii(count < 0 ? "null" : "[]");
    } else if (type === MINUS) {
      from--;
      error();
    } else if (type === COLON) {
      const stop = lineEnd();
      ascii(reply.toString("latin1", from, stop));
      from = stop + 2;
    } else {
      let stop: number;
      if (type === PLUS) stop = lineEnd();
      else {
        const size = length();
        stop = size < 0 ? -1 : from + size;
      }
      if (stop < 0) ascii("null");
      else {
        if (base64) base64String(from, stop);
        else jsonString(from, stop);
        from = stop + 2;
      }
    }
    for (;;) {
      const depth = open.length - 1;
      if (depth < 0) return;
      if (--open[depth]! > 0) {
        push(0x2c);
        break;
      }
      open.pop();
      push(0x5d);
    }
  }
}

function error(): void {
  from++;
  const stop = lineEnd();
  ascii('{"error":');
  jsonString(from, stop);
  push(0x7d);
  from = stop + 2;
}

function lineEnd(): number {
  let i = from;
  while (reply[i] !== CR) i++;
  return i;
}

/** Reads the length at `from`, -1 for a null. */
function length(): number {
  if (reply[from] === MINUS) {
    from += 4;
    return -1;
  }
  let size = 0;
  for (; reply[from] !== CR; from++) size = size * 10 + reply[from]! - 0x30;
  from += 2;
  return size;
}

function jsonString(first: number, stop: number): void {
  const size = stop - first;
  if (size <= SHORT) {
    reserve(size + 2);
    let to = at;
    out[to++] = 0x22;
    let i = first;
    for (; i < stop; i++) {
      const byte = reply[i]!;
      if (byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c) break;
      out[to++] = byte;
    }
    if (i === stop) {
      out[to++] = 0x22;
      at = to;
      return;
    }
  }
  if (size <= PIECE) {
    text(JSON.stringify(reply.toString("utf8", first, stop)));
    return;
  }
  push(0x22);
  for (let i = first; i < stop; ) {
    const cut = stop - i <= PIECE ? stop : characterStart(i + PIECE);
    text(JSON.stringify(reply.toString("utf8", i, cut)).slice(1, -1));
    i = cut;
  }
  push(0x22);
}

/** The start of the character that `index` stands in. */
function characterStart(index: number): number {
  for (let i = index; i > index - 4; i--) if ((reply[i]! & 0xc0) !== 0x80) return i;
  // Four continuation bytes in a row: no character reaches across.
  return index;
}

function base64String(first: number, stop: number): void {
  push(0x22);
  for (let i = first; i < stop; i += BASE64_PIECE) {
    ascii(reply.toString("base64", i, Math.min(stop, i + BASE64_PIECE)));
  }
  push(0x22);
}

function begin(expected: number): void {
  start = at;
  reserve(expected + 32);
}

function end(): Buffer {
  const done = out.subarray(start, at);
  start = at;
  reply = NOTHING;
  // A large response's room is not kept for small ones.
  if (out.length > 4 * SLAB) {
    out = Buffer.allocUnsafeSlow(SLAB);
    start = 0;
    at = 0;
  }
  return done;
}

function push(byte: number): void {
  reserve(1);
  out[at++] = byte;
}

function ascii(letters: string): void {
  reserve(letters.length);
  if (letters.length <= 16) for (let i = 0; i < letters.length; i++) out[at++] = letters.charCodeAt(i);
  else at += out.write(letters, at, "latin1");
}

function text(letters: string): void {
  // Three bytes at most for each UTF-16 unit; counted only where that guess would not fit.
  if (at + letters.length * 3 > out.length) reserve(Buffer.byteLength(letters));
  at += out.write(letters, at, "utf8");
}

function reserve(size: number): void {
  if (at + size <= out.length) return;
  const written = at - start;
  const next = Buffer.allocUnsafeSlow(Math.max(SLAB, 2 * written + size));
  out.copy(next, 0, start, at);
  out = next;
  start = 0;
  at = written;
}
