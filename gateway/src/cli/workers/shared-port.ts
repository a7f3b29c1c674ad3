import type { Worker } from "node:cluster";
import { createServer, type Server, type Socket } from "node:net";
import { listen, SOCKETS } from "../../http/server.js";
import type { ToWorker } from "./messages.js";

/** A port whose connections go to several processes. It is open while there is one to serve them. */
export class SharedPort {
  #port: number;
  #server: Server | undefined;
  #closed = false;
  /** For each worker, the connections sent that it has not taken yet. The one that got its last longest ago comes first. */
  readonly #sent = new Map<Worker, Socket[]>();

  /** @param port 0 for any that is free: the same from then on */
  constructor(
    private readonly host: string,
    port: number,
  ) {
    this.#port = port;
  }

  get port(): number {
    return this.#port;
  }

  /** Sends connections to a worker too. @throws a readable error when the port can't be opened */
  async add(worker: Worker): Promise<void> {
    this.#sent.set(worker, []);
    if (this.#server || this.#closed) return;
    const server = createServer({ ...SOCKETS, pauseOnConnect: true }, (socket) => this.#send(socket));
    this.#server = server;
    this.#port = await listen(server, this.host, this.#port);
    // Closed meanwhile.
    if (this.#server !== server) server.close();
  }

  /** Records that a worker has taken the next connection: it is the worker's alone. */
  taken(worker: Worker): void {
    this.#sent.get(worker)?.shift()?.destroy();
  }

  /** A worker has ended, and with it the connections that it has not taken. */
  remove(worker: Worker): void {
    const sent = this.#sent.get(worker);
    if (!sent) return;
    this.#sent.delete(worker);
    for (const socket of sent) socket.destroy();
    if (this.#sent.size === 0) this.#stop();
  }

  /** Closes the port for good. What was accepted has been sent to a worker: its next message comes after that. */
  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #stop(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Sends a connection to the worker that has the fewest to take: one that is busy gets none while others are free. */
  #send(socket: Socket): void {
    let next: Worker | undefined;
    for (const [worker, { length }] of this.#sent)
      if (!next || length < this.#sent.get(next)!.length) next = worker;
    if (!next?.isConnected()) {
      socket.destroy();
      return;
    }
    socket.on("error", () => {});
    const sent = this.#sent.get(next)!;
    sent.push(socket);
    this.#sent.delete(next);
    this.#sent.set(next, sent);
    // Kept open here as well: Node never closes a connection whose receiver exits before it takes it.
    next.send({ kind: "connection" } satisfies ToWorker, socket, { keepOpen: true }, () => {});
  }
}
