// The network in front of a server, with faults, in a thread of its own: it stands still while packets vanish.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** The faults. Each is a message to the thread, which sends it back when the fault begins. */
export interface NetworkFault {
  readonly kind: "refused" | "vanish" | "halfOpen";
  /** How long it lasts. A half-open connection stays so for ever. */
  readonly ms: number;
}

const host = "127.0.0.1";
/** The connections that the kernel accepts while the thread stands still. It drops the packets that open further ones. */
const backlog = 8;
const pairs = new Set<readonly [client: Socket, far: Socket]>();

const server = createServer({ noDelay: true }, (client) => {
  const far = connect({ host, port: workerData, noDelay: true });
  const pair = [client, far] as const;
  pairs.add(pair);
  const join = (from: Socket, to: Socket) => {
    from.pipe(to);
    from.on("error", () => {}).on("close", () => pairs.delete(pair) && to.destroy());
  };
  join(client, far);
  join(far, client);
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
    // They connect in the next tick. The kernel keeps what comes then, as its sender would send it again.
    process.nextTick(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      for (const filler of fillers) filler.destroy();
    });
  },
  halfOpen() {
    for (const [client, far] of pairs) {
      client.unpipe(far).pause();
      far.unpipe(client).pause();
    }
  },
};

parentPort!.on("message", (fault: NetworkFault) => {
  parentPort!.postMessage(fault);
  begin[fault.kind](fault.ms);
});
