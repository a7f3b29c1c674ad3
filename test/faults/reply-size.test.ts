import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { ProtocolError, type RedisOptions } from "warmline";
import { type Arrived, jsonResponse, RawEndpoint } from "../support/endpoint.js";
import { describeEntries } from "../support/entries.js";

// Responses that are larger than the client wants, or have no end.

const endpoint = RawEndpoint.forEachTest();

const head = (...lines: string[]) =>
  ["HTTP/1.1 200 OK", "content-type: application/json", ...lines, "", ""].join("\r\n");
const LIMIT = 1_000_000;

/** Writes a piece again and again until the client has had enough. */
async function flood(socket: Socket, piece: string, sent: (bytes: number) => void): Promise<void> {
  while (!socket.destroyed) {
    sent(piece.length);
    if (!socket.write(piece))
      await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", resolve));
  }
}

describeEntries((Client) => {
  const client = (options: RedisOptions = {}) =>
    new Client({
      timeout: 10_000,
      url: endpoint.url,
      token: "t",
      responseFormat: "json",
      codec: "text",
      maxReplySize: LIMIT,
      ...options,
    });
  const tooLarge = {
    name: "ProtocolError",
    outcome: "unknown",
    message: expect.stringContaining(`the response is larger than maxReplySize (${LIMIT} bytes)`),
  };

  const framings: [string, (body: string) => string][] = [
    ["with a length", (body) => jsonResponse(body)],
    [
      "in chunks",
      (body) =>
        `${head("transfer-encoding: chunked")}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
    ["until the connection closes", (body) => head("connection: close") + body],
  ];
  test.each(framings)("a body up to maxReplySize is read, and not a byte more: %s", async (how, framed) => {
    // The framing of chunks counts as well.
    const most = LIMIT - (how === "in chunks" ? 20 : 0);
    const bodyOf = (size: number) => {
      const frame = '{"result":""}';
      return frame.replace('""', `"${"x".repeat(size - frame.length)}"`);
    };
    const respond =
      (size: number) =>
      ({ socket, head: requested }: Arrived) => {
        if (requested.includes("base64")) {
          const text = Buffer.alloc(Math.floor((size - 13) / 4) * 3).toString("base64");
          socket.write(framed(`{"result":"${text}"}`.padEnd(size)));
        } else socket.write(framed(bodyOf(size)));
        if (how.startsWith("until")) socket.end();
      };
    endpoint.onRequest = respond(most);
    expect((await client().get<string>("k"))?.length).toBeGreaterThan(LIMIT / 2);
    endpoint.onRequest = respond(LIMIT + 1);
    await expect(client().get("k")).rejects.toMatchObject({ ...tooLarge, command: "GET" });
  });

  test("a write and a read above maxReplySize are sent once", async () => {
    endpoint.answer(jsonResponse("x".repeat(LIMIT + 1)));
    const redis = client();
    await expect(redis.incr("n")).rejects.toMatchObject({ ...tooLarge, command: "INCR" });
    await expect(redis.get("k")).rejects.toBeInstanceOf(ProtocolError);
    await expect(redis.pipeline().get("k").incr("n").exec()).rejects.toMatchObject(tooLarge);
    expect(endpoint.requests).toHaveLength(3);
    endpoint.answer(jsonResponse('{"result":1}'));
    expect(await redis.incr("n")).toBe(1);
  });

  test("a Content-Length above maxReplySize ends the call before the body", async () => {
    endpoint.answer(head(`content-length: ${LIMIT + 1}`));
    await expect(client().incr("n")).rejects.toMatchObject(tooLarge);
  });

  test.each([
    ["until the connection closes", head("connection: close"), "x".repeat(65_536)],
    ["of chunks of a byte each", head("transfer-encoding: chunked"), "1\r\nx\r\n".repeat(10_000)],
  ])("an endless body %s is cut off", async (_how, begin, piece) => {
    let sent = 0;
    const closed: Promise<unknown>[] = [];
    endpoint.onRequest = ({ socket }) => {
      closed.push(new Promise((resolve) => socket.once("close", resolve)));
      socket.write(begin);
      void flood(socket, piece, (bytes) => {
        sent += bytes;
      });
    };
    const before = process.memoryUsage().rss;
    await expect(client().incr("n")).rejects.toMatchObject(tooLarge);
    await Promise.all(closed);
    expect(endpoint.requests).toHaveLength(1);
    // Bytes in the buffers of the kernel and the stream come on top, and fetch does not see the sizes of chunks.
    expect(sent).toBeLessThan(40_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });
});
