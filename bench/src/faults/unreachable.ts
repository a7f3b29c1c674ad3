import { setTimeout as pause } from "node:timers/promises";
import { closeBeforeReply, type Exchange } from "warmline-testbed";
import { type Fault, type FaultGroup, first, get, incr } from "./fault.js";

/** Number of calls to a server that closes at random; half of them are writes. */
const RACES = 60;

/** Downtime of a restarting server in ms. */
const RESTART_MS = 400;

const dropped: Fault = {
  title: "incr, reset before it reaches the server",
  stage: ({ key }) => ({
    turns: [[incr(key("n"))]],
    behaviour: first(1, key("n"), closeBeforeReply({ deliver: false, leave: "reset" })),
  }),
};

const race: Fault = {
  title: `${RACES} get and incr, some connections closed while they are written`,
  stage: ({ key, random }) => {
    // The first command and the handshake of a client over TCP are spared.
    const called = new RegExp(`${key("").slice(0, -1)}\\d`);
    const isCall = ({ request }: Exchange) => called.test(request.toString("latin1"));
    return {
      turns: Array.from({ length: RACES }, (_, at) => [(at % 2 === 0 ? get : incr)(key(`${at}`))]),
      behaviour: {
        exchange: (exchange) =>
          isCall(exchange) && random() < 0.1 ? { request: (connection) => connection.close() } : undefined,
        responded: (connection, exchange) => {
          // About as long as a client takes to write its next request.
          if (isCall(exchange) && random() < 0.3) {
            connection.after(Math.floor(random() * 3), () => connection.close());
          }
        },
      },
    };
  },
};

const restart = (call: typeof get): Fault => ({
  title: `${call("").command}, the server restarts`,
  stage: ({ key, proxy }) => ({
    turns: [[call(key("k"))]],
    strike: () => {
      void proxy.refuse();
      for (const connection of proxy.connections) connection.close();
      return pause(RESTART_MS).then(() => proxy.accept());
    },
  }),
});

const mute: Fault = {
  title: "get, no response ever",
  hopeless: true,
  stage: ({ key }) => ({
    turns: [[get(key("k"))]],
    behaviour: first(Number.POSITIVE_INFINITY, key("k"), { request: (connection) => connection.blackhole() }),
  }),
};

/** Faults in which the request does not arrive, or may not. */
export const unreachable: FaultGroup = {
  title: "not applied, or unknown",
  faults: [dropped, race, restart(get), restart(incr), mute],
};
