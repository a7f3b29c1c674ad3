import { Duplex } from "node:stream";
import { Client } from "undici";
import { expect, test } from "vitest";
import { ResponseParser } from "../../src/transport/node/http1/response-parser.js";
import { SEED, scaled } from "../support/random-tests.js";
import { Chance } from "./support/random.js";
import { chunks, pieces, spoil } from "./support/requests.js";

// Random responses, read by our parser and by undici's. If ours accepts a response, undici's must accept it too, with the
// same status and body. Ours may refuse more.

const RUNS = scaled(20_000);
const AT_ONCE = 200;

interface Read {
  readonly status: number;
  readonly body: string;
}

/** A possible response of a server, cut into the pieces that arrive. */
function makeInput(chance: Chance): Buffer[] {
  const body = chance.pick([
    "",
    "a",
    "hello",
    "$5\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
    "x".repeat(chance.below(5_000)),
  ]);
  const length = String(chance.maybe(0.95) ? body.length : body.length + chance.pick([-1, 1, 100]));
  const framing = chance.mostly(
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
    `X: ${"y".repeat(chance.below(30_000))}`,
    "Content-Type: application/json",
  ].filter(() => chance.maybe(0.03));
  const headers = [...framing, ...extra].sort(() => chance.next() - 0.5);
  const version = chance.mostly(["HTTP/1.1"], ["HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.2"]);
  const status = chance.mostly(
    ["200 OK", "200", "400 Bad Request", "503 Busy"],
    ["200 ", "204 No Content", "304 Not Modified", "99 X", "1000 X", "100 Continue", "101 Switching"],
  );
  const interim = chance.maybe(0.05)
    ? chance.pick([
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
      ])
    : "";
  const eol = chance.maybe(0.03) ? chance.pick(["\n", "\r", "\r\r\n"]) : "\r\n";
  let text = `${interim}${version} ${status}${eol}${headers.map((line) => line + eol).join("")}${eol}`;
  text += headers.some((line) => /^transfer-encoding/i.test(line)) ? chunks(chance, body) : body;
  return pieces(chance, spoil(chance, text, 0.2));
}

function readByUs(input: readonly Buffer[]): Read | undefined {
  const parser = new ResponseParser();
  try {
    for (const piece of input) {
      const done = parser.push(piece);
      if (done) return { status: done.response.status, body: done.response.body.toString("latin1") };
    }
    const { status, body } = parser.end();
    return { status, body: body.toString("latin1") };
  } catch {
    return undefined;
  }
}

async function readByUndici(input: readonly Buffer[]): Promise<Read | undefined> {
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
            for (const piece of input) socket.push(piece);
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
  const chance = new Chance(SEED);
  let accepted = 0;
  for (let run = 0; run < RUNS; run += AT_ONCE) {
    const inputs = Array.from({ length: AT_ONCE }, () => makeInput(chance));
    const theirs = await Promise.all(inputs.map(readByUndici));
    inputs.forEach((input, i) => {
      const ours = readByUs(input);
      if (!ours) return;
      accepted++;
      const shown = JSON.stringify(input.map((piece) => piece.toString("latin1")));
      expect(theirs[i], `seed ${SEED}, run ${run + i}: ${shown.slice(0, 2000)}`).toEqual(ours);
    });
  }
  console.log(`${accepted} of ${RUNS} accepted`);
  expect(accepted).toBeGreaterThan(RUNS / 10);
});
