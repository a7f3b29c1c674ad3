import { Duplex } from "node:stream";
import { Client } from "undici";
import { expect, test } from "vitest";
import { ResponseParser } from "../../src/transport/node/http1/response-parser.js";
import { SEED, scaled } from "../support/random-tests.js";

// Responses made up at random, read by our parser and by undici's: what ours accepts, undici's has to accept too, and
// to read the same status and body. Ours may refuse more.

const RUNS = scaled(20_000);
const AT_ONCE = 200;

interface Read {
  readonly status: number;
  readonly body: string;
}

/** A possible response of a server, cut into the chunks that arrive. */
interface Input {
  readonly pieces: Buffer[];
}

/** A small generator of random numbers that a seed fixes (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function makeInput(random: () => number): Input {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const maybe = (share: number) => random() < share;
  /** Mostly the plain thing, so that faults seldom hide each other. */
  const mostly = <T>(plain: readonly T[], odd: readonly T[]): T => pick(maybe(0.9) ? plain : odd);
  const body = pick([
    "",
    "a",
    "hello",
    "$5\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
    "x".repeat(Math.floor(random() * 5000)),
  ]);
  const chunked = () => {
    let text = "";
    for (let at = 0; at < body.length; ) {
      const size = 1 + Math.floor(random() * body.length);
      const data = body.slice(at, at + size);
      text += `${pick(["", "0"])}${data.length.toString(16)}${mostly(["", ";x=1"], [";x", " ", ";", "x"])}\r\n${data}\r\n`;
      at += size;
    }
    return `${text}${mostly(["0", "00"], ["", "1"])}\r\n${mostly(["", "A: b\r\n"], ["junk\r\n"])}\r\n`;
  };
  const length = String(maybe(0.95) ? body.length : body.length + pick([-1, 1, 100]));
  const framing = mostly(
    [[`Content-Length: ${length}`], ["Transfer-Encoding: chunked"], ["transfer-encoding: Chunked"], []],
    [
      [`content-length:${length} `],
      [`Content-Length: ${length}`, `Content-Length: ${length}`],
      [`Content-Length: +${length}`],
      [`Content-Length: ${length}, ${length}`],
      ["Transfer-Encoding: gzip, chunked"],
      ["Transfer-Encoding: chunked, identity"],
      ["Transfer-Encoding: chunked", `Content-Length: ${length}`],
    ],
  );
  const extra = [
    "Keep-Alive: timeout=5",
    "Connection: close",
    "Connection: keep-alive",
    "Connection: upgrade",
    "Upgrade: websocket",
    "X:",
    "X : y",
    " folded",
    "\tfolded",
    "X\u0001: y",
    "X: y\u0000z",
    "X: é",
    "nocolon",
    ": empty",
    `X: ${"y".repeat(Math.floor(random() * 30_000))}`,
    "Content-Type: application/json",
  ].filter(() => maybe(0.03));
  const headers = [...framing, ...extra].sort(() => random() - 0.5);
  const version = mostly(["HTTP/1.1"], ["HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.2"]);
  const status = mostly(
    ["200 OK", "200", "400 Bad Request", "503 Busy"],
    ["200 ", "204 No Content", "304 Not Modified", "99 X", "1000 X", "100 Continue", "101 Switching"],
  );
  const interim = maybe(0.05)
    ? pick([
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
      ])
    : "";
  const eol = maybe(0.03) ? pick(["\n", "\r", "\r\r\n"]) : "\r\n";
  let text = `${interim}${version} ${status}${eol}${headers.map((line) => line + eol).join("")}${eol}`;
  text += headers.some((line) => /^transfer-encoding/i.test(line)) ? chunked() : body;
  let bytes = Buffer.from(text, "latin1");
  for (let i = maybe(0.2) ? 1 + Math.floor(random() * 3) : 0; i > 0 && bytes.length > 0; i--) {
    const at = Math.floor(random() * bytes.length);
    const change = random();
    if (change < 0.4) bytes[at] = Math.floor(random() * 256);
    else if (change < 0.7) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    else if (change < 0.9)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([Math.floor(random() * 256)]),
        bytes.subarray(at),
      ]);
    else bytes = bytes.subarray(0, at);
  }
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = maybe(0.4) ? bytes.length : 1 + Math.floor(random() * 40);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { pieces };
}

function readByUs({ pieces }: Input): Read | undefined {
  const parser = new ResponseParser();
  try {
    for (const piece of pieces) {
      const done = parser.push(piece);
      if (done) return { status: done.response.status, body: done.response.body.toString("latin1") };
    }
    const { status, body } = parser.end();
    return { status, body: body.toString("latin1") };
  } catch {
    return undefined;
  }
}

async function readByUndici({ pieces }: Input): Promise<Read | undefined> {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const client = new Client("http://localhost", {
    connect: (_options, callback) => setImmediate(() => callback(null, socket as never)),
  });
  const read = new Promise<Read | undefined>((resolve) => {
    let status = 0;
    const chunks: Buffer[] = [];
    client.dispatch(
      { path: "/", method: "POST", body: "x" },
      {
        onRequestStart() {
          setImmediate(() => {
            for (const piece of pieces) socket.push(piece);
            socket.push(null);
          });
        },
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd: () => resolve({ status, body: Buffer.concat(chunks).toString("latin1") }),
        onResponseError: () => resolve(undefined),
      },
    );
  });
  const result = await read;
  await client.destroy();
  return result;
}

test(`undici reads the same of ${RUNS} responses that our parser accepts (seed ${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const random = randomFrom(SEED);
  let accepted = 0;
  for (let run = 0; run < RUNS; run += AT_ONCE) {
    const inputs = Array.from({ length: AT_ONCE }, () => makeInput(random));
    const theirs = await Promise.all(inputs.map(readByUndici));
    inputs.forEach((input, i) => {
      const ours = readByUs(input);
      if (!ours) return;
      accepted++;
      const shown = JSON.stringify(input.pieces.map((piece) => piece.toString("latin1")));
      expect(theirs[i], `seed ${SEED}, run ${run + i}: ${shown.slice(0, 2000)}`).toEqual(ours);
    });
  }
  console.log(`${accepted} of ${RUNS} accepted`);
  expect(accepted).toBeGreaterThan(RUNS / 10);
});
