import { connect, createServer, type Server, type Socket } from "node:net";

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** One address in front of several gateways. */
export interface Front {
  readonly url: string;
  /** Ends all connections, and refuses new ones for a time in ms. */
  refuse(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts one address in front of several gateways. Each connection delays what it carries by a time of its own.
 * @param onLost called for each response that is lost.
 * @param lossRate the share of responses that are lost, with their connection. Default: none.
 */
export async function startFront(
  ports: readonly number[],
  random: () => number,
  onLost: () => void = () => {},
  lossRate = 0,
): Promise<Front> {
  let next = 0;
  let isRefusing = false;
  const sockets = new Set<Socket>();
  const link = (from: Socket, to: Socket, lossRate: number) => {
    let last = Promise.resolve();
    from.on("data", (chunk) => {
      if (lossRate > 0 && random() < lossRate) {
        onLost();
        to.destroy();
        return;
      }
      const delay = random() < 0.25 ? random() * 80 : random() * 2;
      last = last.then(() => pause(delay)).then(() => void to.write(chunk));
    });
    from.on("error", () => {});
    from.on("close", () => last.then(() => to.destroy()));
    sockets.add(from);
  };
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const front: Server = createServer((socket) => {
    if (isRefusing) return socket.destroy();
    const upstream = connect(ports[next++ % ports.length]!, "127.0.0.1");
    link(socket, upstream, 0);
    link(upstream, socket, lossRate);
  });
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
  const { port } = front.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    async refuse(ms) {
      isRefusing = true;
      destroyAll();
      await pause(ms);
      isRefusing = false;
    },
    async stop() {
      destroyAll();
      await new Promise((done) => front.close(done));
    },
  };
}
