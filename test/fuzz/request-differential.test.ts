import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { Connection, type HttpExchange } from "../../gateway/src/http/connection.js";
import type { HttpError } from "../../gateway/src/http/http-error.js";
import type { RequestHead } from "../../gateway/src/http/request-head.js";
import { ResponseHeads } from "../../gateway/src/http/response-head.js";
import { BudgetPart, BufferBudget } from "../../gateway/src/util/buffer-budget.js";
import { SEED, scaled } from "../support/random-tests.js";
import { Chance } from "./support/random.js";
import { encode, pieces, spoil } from "./support/requests.js";

// Requests made up at random, read by the gateway's parser and by Node's (llhttp, strict): what the gateway takes for a
// request, Node has to take for the same request with the same body. The gateway may refuse more.

const RUNS = scaled(20_000);
const AT_ONCE = 100;

interface Read {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** One to three requests, one behind the other. */
function makeInput(chance: Chance): Buffer[] {
  const text = Array.from({ length: 1 + chance.below(3) }, () =>
    encode(chance, {
      method: chance.mostly(
        ["POST", "PUT", "GET"],
        ["HEAD", "DELETE", "BREW", "post", "", "GE T", "CONNECT", "PRI"],
      ),
      target: chance.mostly(
        ["/", "/pipeline", "/set/k/v?EX=5"],
        ["*", "http://h/", "", "/\u00e9", "/ x", "/\u0000", "//x"],
      ),
      headers: ["Authorization: Bearer t"],
      body: chance.pick([
        "",
        '["PING"]',
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "x".repeat(chance.below(3_000)),
      ]),
    }),
  ).join(chance.mostly(["", "\r\n"], ["\r\n\r\n", "\n", " "]));
  return pieces(chance, spoil(chance, text, 0.3));
}

/** A connection whose peer sends `input`; bytes written to it are dropped. */
function socketThatSays(input: readonly Buffer[]): Duplex {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  void (async () => {
    await turn();
    for (const piece of input) socket.push(piece);
    // Node forgets what it has read when the end comes too early.
    for (let turns = 0; turns < 5; turns++) await turn();
    socket.push(null);
  })();
  return socket;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Short, so that what differs can be read. */
const digest = (body: string) => `${body.length} bytes ${createHash("sha1").update(body).digest("hex")}`;

function readByUs(input: readonly Buffer[]): Promise<Read[]> {
  const read: Read[] = [];
  return new Promise((resolve) => {
    const heads = new ResponseHeads(1_000);
    const finish = (connection: Connection, status: number) => {
      const keep = connection.mayContinue && status === 200;
      connection.finish(heads.encode(status, "text/plain", keep, [], Buffer.from("ok"), true), keep);
    };
    const host = {
      heads,
      budget: new BufferBudget(),
      inputBudget: new BudgetPart(new BufferBudget(), 1),
      draining: false,
      service: {
        exchange: ({ method, url }: RequestHead, connection: Connection): HttpExchange => ({
          handle() {
            connection.readBody(1_000_000, (body) => {
              if (body) read.push({ method, url, body: digest(body.toString("latin1")) });
              finish(connection, body ? 200 : 413);
            });
          },
          invalid: ({ status }) => finish(connection, status),
          bodySent() {},
          clientEnded: () => connection.destroy(),
          abort() {},
        }),
        refused: ({ message }: HttpError) => ({
          type: "text/plain",
          body: Buffer.from(message),
          headers: [],
        }),
      },
      connections: { setBusy() {}, setIdle() {}, remove: () => resolve(read) },
      onFailure(error: unknown) {
        throw error;
      },
    };
    new Connection(socketThatSays(input) as never, host);
  });
}

function readByNode(server: Server, input: readonly Buffer[]): Promise<Read[]> {
  const read: Read[] = [];
  const socket = socketThatSays(input);
  reads.set(socket, read);
  server.emit("connection", socket);
  return new Promise((resolve) => socket.once("close", () => resolve(read)));
}

const reads = new WeakMap<object, Read[]>();

function nodeServer(): Server {
  const server = createServer({ insecureHTTPParser: false, maxHeaderSize: 64 * 1024 }, (req, res) => {
    let body = "";
    const { method = "", socket } = req;
    // Node hands a target in absolute form on as it is.
    const url =
      (req.url ?? "").replace(/^https?:\/\/[^/?]*(?=\?)/i, "/").replace(/^https?:\/\/[^/?]*/i, "") || "/";
    req.setEncoding("latin1");
    req.on("data", (text) => {
      body += text;
    });
    req.on("end", () => {
      reads.get(socket)?.push({ method, url, body: digest(body) });
      res.end("ok");
    });
  });
  // Not at once: the listener above still has to get the requests that were read before the error.
  server.on("clientError", async (_error, socket) => {
    for (let turns = 0; turns < 5; turns++) await turn();
    socket.destroy();
  });
  return server;
}

test(`Node reads the same of ${RUNS} connections as the gateway (seed ${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const chance = new Chance(SEED);
  const server = nodeServer();
  let accepted = 0;
  for (let run = 0; run < RUNS; run += AT_ONCE) {
    const inputs = Array.from({ length: AT_ONCE }, () => makeInput(chance));
    const ours = await Promise.all(inputs.map(readByUs));
    const theirs = await Promise.all(inputs.map((input) => readByNode(server, input)));
    inputs.forEach((input, i) => {
      accepted += ours[i]!.length;
      const shown = JSON.stringify(
        Buffer.concat(input)
          .toString("latin1")
          .replace(/([xy])\1{20,}/g, "$1..."),
      );
      expect(
        theirs[i]!.slice(0, ours[i]!.length),
        `seed ${SEED}, run ${run + i}: ${shown.slice(0, 2_000)}`,
      ).toEqual(ours[i]);
    });
  }
  console.log(`${accepted} requests of ${RUNS} connections accepted`);
  expect(accepted).toBeGreaterThan(RUNS / 4);
});
