import type { Chance } from "./random.js";

/** The parts of a request, before it is corrupted. */
export interface Wanted {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** The bytes of a request by HTTP/1.1, or nearly so. */
export function encode(chance: Chance, { method, target, headers, body }: Wanted): string {
  const length = String(
    chance.maybe(0.95) ? body.length : Math.max(0, body.length + chance.pick([-1, 1, 100])),
  );
  const framing = chance.mostly(
    body === ""
      ? [[], ["Content-Length: 0"]]
      : [[`Content-Length: ${length}`], ["Transfer-Encoding: chunked"], ["transfer-encoding:CHUNKED"]],
    [
      [`content-length:\t${length} `],
      [`Content-Length: ${length}`, `Content-Length: ${length}`],
      [`Content-Length: +${length}`],
      [`Content-Length: 0x${length}`],
      [`Content-Length: ${length}, ${length}`],
      [`Content-Length : ${length}`],
      ["Content-Length: "],
      ["Transfer-Encoding: gzip, chunked"],
      ["Transfer-Encoding: chunked, identity"],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: xchunked"],
      ["Transfer-Encoding:\u000bchunked"],
      ["Transfer-Encoding: chunked", `Content-Length: ${length}`],
    ],
  );
  const extra = [
    "Connection: close",
    "Connection: keep-alive",
    "Connection: upgrade",
    "Upgrade: websocket",
    "Expect: 100-continue",
    "Expect: 200-ok",
    "Host: other",
    "X:",
    "X : y",
    " folded",
    "\tfolded",
    "X\u0001: y",
    "X: y\u0000z",
    "X: y\rz",
    "X: y\nContent-Length: 3",
    "X: \u00e9",
    "nocolon",
    ": empty",
    `X: ${"y".repeat(chance.below(30_000))}`,
    "Content-Type: application/json",
  ].filter(() => chance.maybe(0.02));
  const lines = ["Host: localhost", ...headers, ...framing, ...extra].sort(() => chance.next() - 0.5);
  const version = chance.mostly(
    ["HTTP/1.1"],
    ["HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.2", "HTTP/1.11", ""],
  );
  const space = chance.maybe(0.98) ? " " : chance.pick(["  ", "\t", ""]);
  const eol = chance.maybe(0.98) ? "\r\n" : chance.pick(["\n", "\r", "\r\r\n"]);
  const head = `${method}${space}${target}${space}${version}${eol}${lines.map((line) => line + eol).join("")}${eol}`;
  const isChunked = lines.some((line) => /^transfer-encoding/i.test(line));
  return head + (isChunked ? chunks(chance, body) : body);
}

/** A body in chunks, or nearly so. */
export function chunks(chance: Chance, body: string): string {
  let text = "";
  for (let at = 0; at < body.length; ) {
    const data = body.slice(at, at + 1 + chance.below(body.length));
    const extension = chance.mostly(["", ";x=1", ';x="a;b"'], [";x", " ", ";", "x", ';x="', ";x=\u0001"]);
    const end = chance.maybe(0.98) ? "\r\n" : chance.pick(["\n", "", "\r\nx", "\r"]);
    text += `${chance.pick(["", "0"])}${data.length.toString(16)}${extension}\r\n${data}${end}`;
    at += data.length;
  }
  return `${text}${chance.mostly(["0", "00"], ["", "1", "-0", "0x0"])}\r\n${chance.mostly(["", "A: b\r\n"], ["junk\r\n", "A : b\r\n"])}\r\n`;
}

/** Changes, drops or inserts a few bytes, or cuts the end off. */
export function spoil(chance: Chance, text: string, share: number): Buffer {
  let bytes = Buffer.from(text, "latin1");
  for (let i = chance.maybe(share) ? 1 + chance.below(3) : 0; i > 0 && bytes.length > 0; i--) {
    const at = chance.below(bytes.length);
    const change = chance.next();
    const other = Buffer.from([
      chance.maybe(0.5) ? chance.below(256) : chance.pick([0, 9, 10, 13, 32, 44, 58]),
    ]);
    if (change < 0.4) bytes[at] = other[0]!;
    else if (change < 0.65) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    else if (change < 0.9) bytes = Buffer.concat([bytes.subarray(0, at), other, bytes.subarray(at)]);
    else bytes = bytes.subarray(0, at);
  }
  return bytes;
}

/** The pieces in which bytes arrive. */
export function pieces(chance: Chance, bytes: Buffer): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = chance.maybe(0.4) ? bytes.length : 1 + chance.below(40);
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}
