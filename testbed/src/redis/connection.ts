import { once } from "node:events";
import { connect } from "node:net";
import { encodeCommand, type Resp, RespError, RespReader } from "./resp.js";

/** A plain connection to a Redis server, to prepare and to inspect its data. */
export interface RedisConnection {
  /** Sends one command. @throws RespError on an error reply; the socket's error if the connection ends. */
  command(...args: (string | number | Uint8Array)[]): Promise<Resp>;
  close(): void;
}

/** Connects to a Redis server on a loopback port or a UNIX socket. */
export async function connectRedis(to: { port: number } | { path: string }): Promise<RedisConnection> {
  const socket = connect({ ...to, noDelay: true });
  const reader = new RespReader();
  const waiting: { resolve(value: Resp): void; reject(error: Error): void }[] = [];
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    for (const each of waiting.splice(0)) each.reject(failure);
  };
  await once(socket, "connect");
  socket.on("data", (bytes) => {
    for (const value of reader.push(bytes)) {
      if (value instanceof RespError) waiting.shift()?.reject(value);
      else waiting.shift()?.resolve(value);
    }
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The connection to Redis has ended.")));
  return {
    command: (...args) =>
      new Promise((resolve, reject) => {
        if (failure) {
          reject(failure);
          return;
        }
        waiting.push({ resolve, reject });
        socket.write(encodeCommand(args));
      }),
    close: () => socket.destroy(),
  };
}
