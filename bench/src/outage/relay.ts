// Relays connections to a server, with network faults, in a thread of its own. The thread is blocked while packets vanish.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** The faults. Each is a message to the thread, which sends it back when the fault begins. */
export interface NetworkFault {
  readonly kind: "refused" | "vanish" | "halfOpen";
  /** How long it lasts. A half-open connection stays so for ever. */
  readonly ms: number;
}

const host = "127.0.0.1";
/** Number of connections that the kernel accepts while the thread is blocked. It drops the packets that open more. */
const backlog = 8;
const pairs = new Set<readonly [client: Socket, upstream: Socket]>();

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ host, port: workerData, noDelay: true });
  const pair = [client, upstream] as const;
  pairs.add(pair);
  const join = (from: Socket, to: Socket) => {
    from.pipe(to);
    from.on("error", () => {}).on("close", () => pairs.delete(pair) && to.destroy());
  };
  join(client, upstream);
  join(upstream, client);
});
const portOf = () => (server.address() as AddressInfo).port;
server.once("listening", () => parentPort!.postMessage(portOf()));
server.listen({ host, port: 0, backlog });

const begin: Readonly<Record<NetworkFault["kind"], (ms: number) => void>> = {
  refused(ms) {
    const port = portOf();
    server.close();
    for (const [client] of pairs) client.resetAndDestroy();
    setTimeout(() => server.listen({ host, port, backlog }), ms);
  },
  vanish(ms) {
    const fillers = Array.from({ length: backlog + 1 }, () => connect({ host, port: portOf() }));
    // The fillers connect in the next tick. On open connections the kernel keeps what arrives meanwhile: late, like a resend.
    process.nextTick(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      for (const filler of fillers) filler.destroy();
    });
  },
  halfOpen() {
    for (const [client, upstream] of pairs) {
      client.unpipe(upstream).pause();
      upstream.unpipe(client).pause();
    }
  },
};

parentPort!.on("message", (fault: NetworkFault) => {
  parentPort!.postMessage(fault);
  begin[fault.kind](fault.ms);
});
