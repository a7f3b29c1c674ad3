import { createServer } from "node:net";
import { pipeline } from "node:stream";
import { connectRedis, type RedisConnection } from "warmline-testbed";
import { startEmbeddedEngine } from "../../gateway/src/engine/embedded.js";
import { startServer } from "./start-server.js";

/** The embedded engine as a server on a TCP port, for gateways and for Redis clients. */
export interface EngineServer {
  readonly port: number;
  /** Its address as a `redis://` URL. */
  readonly url: string;
  /** Sends one command on a connection of its own. */
  readonly command: RedisConnection["command"];
  stop(): Promise<void>;
}

/** Starts the embedded engine as a server on a free loopback port. */
export async function startEngineServer(): Promise<EngineServer> {
  const engine = await startEmbeddedEngine();
  const server = createServer({ noDelay: true }, (socket) => {
    pipeline(socket, engine.connect(), socket, () => {});
  });
  const { port, close: closeServer } = await startServer(server);
  const { command, close } = await connectRedis({ port });
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    async stop() {
      close();
      await closeServer();
      await engine.close();
    },
  };
}
