import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { adopt } from "../../../../gateway/src/util/adopt-socket.js";

interface Accepted {
  readonly socket: Socket;
  readonly chunks: Buffer[];
  ended: boolean;
}

let server: Server;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

/** Starts a server that adopts its sockets. `spoil` is called with each socket before. */
async function listen(spoil: (socket: Socket) => void = () => {}): Promise<Accepted[]> {
  const all: Accepted[] = [];
  server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (given) => {
    spoil(given);
    const chunks: Buffer[] = [];
    const socket = adopt(given, (chunk) => chunks.push(chunk));
    const accepted = { socket, chunks, ended: false };
    socket.on("end", () => {
      accepted.ended = true;
    });
    socket.on("error", () => {});
    all.push(accepted);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return all;
}

async function open(): Promise<Socket> {
  const client = connect({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    allowHalfOpen: true,
  });
  clients.push(client);
  client.on("error", () => {});
  await once(client, "connect");
  return client;
}

const text = ({ chunks }: Accepted) => Buffer.concat(chunks).toString();

describe.each([
  ["a socket that is wrapped anew", undefined],
  [
    "a socket that can't be wrapped anew",
    (socket: Socket) => {
      (socket as unknown as { _server: unknown })._server = null;
    },
  ],
])("%s", (_, spoil) => {
  test("the socket reads, writes, and gets its client's end, after which it can still write", async () => {
    const accepted = await listen(spoil);
    const client = await open();
    client.write("ask");
    await expect.poll(() => accepted[0] && text(accepted[0])).toBe("ask");
    client.end();
    await expect.poll(() => accepted[0]!.ended).toBe(true);
    accepted[0]!.socket.end("answer");
    const [response] = await once(client, "data");
    expect(String(response)).toBe("answer");
    await once(client, "end");
  });
});

test("chunks belong to their receiver and are not overwritten by later reads", async () => {
  const accepted = await listen();
  const sent = ["first", "second", "third"].map((word) => word.repeat(1_000));
  for (const [i, each] of sent.entries()) {
    const client = await open();
    client.write(each);
    await expect.poll(() => accepted[i] && text(accepted[i]!)).toBe(each);
  }
  expect(accepted.map(text)).toEqual(sent);
});

test("the server's close waits for adopted sockets", async () => {
  const accepted = await listen();
  const client = await open();
  client.write("ask");
  await expect.poll(() => accepted.length).toBe(1);
  let closed = false;
  server.close(() => {
    closed = true;
  });
  client.write("more");
  await expect.poll(() => text(accepted[0]!)).toBe("askmore");
  expect(closed).toBe(false);
  accepted[0]!.socket.destroy();
  await expect.poll(() => closed).toBe(true);
});
