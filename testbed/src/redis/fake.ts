import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Resp, RespError, RespReader } from "./resp.js";

/** A command that the fake received. */
export interface FakeCommand {
  /** The command's name, in upper case. */
  readonly name: string;
  readonly args: readonly string[];
  /** The command's number over all connections, from 1. */
  readonly number: number;
  /** The connection's number, from 1. */
  readonly connection: number;
  /** The number of commands of this name so far, including this one. */
  readonly times: number;
}

/**
 * The action on a command. All but `refuse` apply the command first:
 * - `bytes`: sends these bytes as the reply
 * - `lose`: sends no reply; later replies are sent, so a client that does not check would take the next one for this one
 * - `close`, `reset`: ends the connection without a reply
 * - `late`: delays the reply by this many ms; replies to later commands on the connection follow it
 * - `cut`: sends this many bytes of the reply, then closes the connection
 * - `refuse`: replies with this error, without applying the command
 */
export type FakeAction =
  | { readonly bytes: string | Uint8Array }
  | "lose"
  | "close"
  | "reset"
  | { readonly late: number }
  | { readonly cut: number }
  | { readonly refuse: string };

/** A scripted Redis. */
export interface FakeRedis {
  readonly port: number;
  readonly url: string;
  /** Every command applied so far, in order. */
  readonly applied: readonly FakeCommand[];
  /** Connections accepted so far. */
  readonly connectionsOpened: number;
  readonly connectionsOpen: number;
  /** Returns the number of applied commands of this name. */
  count(name: string): number;
  /** Sets the function that returns the action on each later command. Undefined: the command is applied and its reply sent. */
  script(decide: (command: FakeCommand) => FakeAction | undefined): void;
  /** Resets every open connection. */
  resetConnections(): void;
  close(): Promise<void>;
}

/**
 * Starts a small Redis on a loopback port whose replies can be lost, cut, late or wrong. It supports PING, ECHO, AUTH,
 * SELECT, CLIENT, GET, SET, DEL, INCR, RPUSH and LRANGE; all others get the reply of Redis to an unknown command.
 * @param options the port on 127.0.0.1. Default: any free one
 */
export async function startFakeRedis(
  decide: (command: FakeCommand) => FakeAction | undefined = () => undefined,
  options: { readonly port?: number } = {},
): Promise<FakeRedis> {
  const store = new Map<string, string | string[]>();
  const applied: FakeCommand[] = [];
  const seen = new Map<string, number>();
  const sockets = new Set<Socket>();
  /** All connections so far, without those on which a gateway searches for other gateways. */
  const opened: Socket[] = [];
  let commands = 0;
  let script = decide;

  const server = createServer({ noDelay: true }, (socket) => {
    opened.push(socket);
    const reader = new RespReader();
    let turn: Promise<unknown> = Promise.resolve();
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes) => {
      for (const value of reader.push(bytes)) {
        const args = (value as Resp[]).map(String);
        const name = args[0]!.toUpperCase();
        if (name === "SUBSCRIBE" && args[1] === "warmline:gateways") {
          if (opened.includes(socket)) opened.splice(opened.indexOf(socket), 1);
          socket.write(encode(UNKNOWN));
          continue;
        }
        const times = (seen.get(name) ?? 0) + 1;
        seen.set(name, times);
        const connection = opened.indexOf(socket) + 1;
        const command = { name, args, number: ++commands, connection, times };
        turn = turn.then(() => reply(socket, command));
      }
    });
  });

  async function reply(socket: Socket, command: FakeCommand): Promise<void> {
    const action = script(command);
    if (typeof action === "object" && "refuse" in action) {
      socket.write(`-${action.refuse}\r\n`);
      return;
    }
    const reply = encode(apply(store, command));
    applied.push(command);
    if (action === undefined) socket.write(reply);
    else if (action === "close") socket.end();
    else if (action === "reset") socket.resetAndDestroy();
    else if (action === "lose") return;
    else if ("bytes" in action) socket.write(action.bytes);
    else if ("cut" in action) socket.end(reply.subarray(0, action.cut));
    else {
      await pause(action.late);
      socket.write(reply);
    }
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    applied,
    get connectionsOpened() {
      return opened.length;
    },
    get connectionsOpen() {
      return sockets.size;
    },
    count: (name) => applied.filter((command) => command.name === name.toUpperCase()).length,
    script: (next) => {
      script = next;
    },
    resetConnections: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A simple string. A reply of type string is a bulk string. */
class Status {
  constructor(readonly text: string) {}
}

type Reply = Resp | Status;

function apply(store: Map<string, string | string[]>, { name, args }: FakeCommand): Reply {
  const [, key = "", value = ""] = args;
  const stored = store.get(key);
  switch (name) {
    case "PING":
      return new Status("PONG");
    case "ECHO":
      return key;
    case "AUTH":
    case "SELECT":
    case "CLIENT":
      return new Status("OK");
    case "GET":
      return Array.isArray(stored) ? WRONG_TYPE : (stored ?? null);
    case "SET":
      store.set(key, value);
      return new Status("OK");
    case "DEL":
      return args.slice(1).filter((each) => store.delete(each)).length;
    case "INCR": {
      const next = Number(stored ?? 0) + 1;
      store.set(key, String(next));
      return next;
    }
    case "RPUSH": {
      const list = [...((stored as string[] | undefined) ?? []), ...args.slice(2)];
      store.set(key, list);
      return list.length;
    }
    case "LRANGE":
      return (stored as string[] | undefined) ?? [];
    default:
      return new RespError(`ERR unknown command '${args[0]}', with args beginning with: `);
  }
}

const UNKNOWN = new RespError("ERR unknown command");

const WRONG_TYPE = new RespError("WRONGTYPE Operation against a key holding the wrong kind of value");

function encode(reply: Reply): Buffer {
  if (reply instanceof Status) return Buffer.from(`+${reply.text}\r\n`);
  if (reply instanceof RespError) return Buffer.from(`-${reply.message}\r\n`);
  if (reply === null) return Buffer.from("$-1\r\n");
  if (typeof reply === "number") return Buffer.from(`:${reply}\r\n`);
  if (Array.isArray(reply)) return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(encode)]);
  return Buffer.from(`$${Buffer.byteLength(reply)}\r\n${reply}\r\n`);
}
