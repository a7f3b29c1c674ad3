import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A command that arrived, and the connection it came on (from 1). */
export interface Arrived {
  readonly words: readonly string[];
  readonly connection: number;
  readonly socket: Socket;
}

/** A server that speaks RESP and does what the test says. */
export interface FakeRedis {
  readonly url: string;
  /** Everything that arrived but the PING that opens each connection. */
  readonly arrived: Arrived[];
  connections: number;
  /** Answers a command: bytes to write, or null for no answer. */
  onCommand: (command: Arrived) => string | null;
  /** How many commands with this first word arrived. */
  count(name: string): number;
  stop(): Promise<void>;
}

/** Starts one on a free port. */
export async function startFakeRedis(
  onCommand: FakeRedis["onCommand"] = () => "+OK\r\n",
): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const connection = ++fake.connections;
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (let next = take(received); next; next = take(received)) {
        received = received.slice(next.length);
        const command = { words: next.words, connection, socket };
        if (next.words[0] === "PING") {
          socket.write("+PONG\r\n");
          continue;
        }
        fake.arrived.push(command);
        const answer = fake.onCommand(command);
        if (answer !== null && !socket.destroyed) socket.write(answer, "latin1");
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const fake: FakeRedis = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: [],
    connections: 0,
    onCommand,
    count: (name) => fake.arrived.filter((command) => command.words[0] === name).length,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** The first whole command in `text`, and how much of it that is. */
function take(text: string): { words: string[]; length: number } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return null;
  const words: string[] = [];
  let at = head[0].length;
  for (let i = 0; i < Number(head[1]); i++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (!size) return null;
    at += size[0].length;
    const end = at + Number(size[1]);
    if (text.length < end + 2) return null;
    words.push(text.slice(at, end));
    at = end + 2;
  }
  return { words, length: at };
}
