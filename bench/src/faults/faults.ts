import { setTimeout as pause } from "node:timers/promises";
import {
  type Behaviour,
  closeBeforeReply,
  combine,
  cutReply,
  type Exchange,
  httpResponse,
  loseReply,
  type NetworkProxy,
  onRequest,
  type ProxiedConnection,
  type Fault as ProxyFault,
  proxyError,
  rewrite,
} from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import type { Call } from "./calls.js";

interface TrialSite {
  /** The proxy in front of the server; used by this trial only. */
  readonly proxy: NetworkProxy;
  readonly protocol: BenchClient["protocol"];
  readonly random: () => number;
  key(name: string): string;
  /** Runs a command at the server, without the proxy. */
  command(...args: string[]): Promise<unknown>;
}

interface PreparedFault {
  /** The calls: those of a turn are issued together, turns come one after another. */
  readonly turns: readonly (readonly Call[])[];
  /** The behaviour of all connections from the start. One has been used once when the calls begin. */
  readonly behaviour?: Behaviour;
  /** Starts the fault right before the calls, or at the beginning of the freeze. A promise settles when the fault is over. */
  readonly strike?: () => Promise<void> | undefined;
}

export interface Fault {
  readonly title: string;
  /** Whether only clients over HTTP can meet it. */
  readonly onlyHttp?: boolean;
  /** Whether the function is frozen before the calls, and thaws with them waiting. */
  readonly frozen?: boolean;
  /** Whether no client can get a response within the function's time. */
  readonly hopeless?: boolean;
  stage(site: TrialSite): PreparedFault;
}

export const get = (key: string): Call => ({ command: "get", key });
export const incr = (key: string): Call => ({ command: "incr", key });

/** Applies `fault` to the first `times` requests that contain `text`, over all connections. */
function first(times: number, text: string, fault: ProxyFault): Behaviour {
  let left = times;
  return onRequest(({ request }) => request.includes(text) && left-- > 0, fault);
}

/** Returns a fault of the first responses to an INCR. */
const ofIncr = (title: string, faultOf: (site: TrialSite) => ProxyFault, times = 1): Fault => ({
  title: `incr, ${title}`,
  stage: (site) => ({
    turns: [[incr(site.key("n"))]],
    behaviour: first(times, site.key("n"), faultOf(site)),
  }),
});

const lost = (times: number): Fault =>
  ofIncr(`response lost ${times === 1 ? "once" : `${times} times`}`, () => loseReply(), times);
const cut = ofIncr("response cut off in the middle", ({ protocol }) =>
  cutReply({ bytes: protocol === "tcp" ? 2 : 60 }),
);
const dropped = ofIncr("reset before it reaches the server", () =>
  closeBeforeReply({ deliver: false, leave: "reset" }),
);

const reads: Fault = {
  title: "get and hgetall, response lost twice",
  stage: ({ key }) => ({
    turns: [[get(key("text"))], [{ command: "hgetall", key: key("hash") }]],
    behaviour: combine(first(2, key("text"), loseReply()), first(2, key("hash"), loseReply())),
  }),
};

const overwritten: Fault = {
  title: "set, response lost; then another client sets",
  stage: ({ key, command }) => ({
    turns: [[{ command: "set", key: key("k"), value: "mine", overwrittenWith: "theirs" }]],
    behaviour: first(1, key("k"), {
      response: (connection, part) => {
        if (part.last) void command("SET", key("k"), "theirs").then(() => connection.close());
      },
    }),
  }),
};

const batch: Fault = {
  title: "incr, get, set, get at once, response lost",
  stage: ({ key }) => ({
    turns: [
      [incr(key("n")), get(key("one")), { command: "set", key: key("k"), value: "mine" }, get(key("two"))],
    ],
    behaviour: first(1, key("n"), loseReply()),
  }),
};

/** Returns a fault that replaces the response to each of some calls once, by the names of their keys. */
const replaced = (title: string, call: typeof get, responses: Readonly<Record<string, Buffer>>): Fault => ({
  title: `${call("").command}, ${title}`,
  onlyHttp: true,
  stage: ({ key }) => ({
    turns: Object.keys(responses).map((name) => [call(key(name))]),
    behaviour: combine(
      ...Object.entries(responses).map(([name, response]) => first(1, key(name), rewrite(response))),
    ),
  }),
});

const errors = ([502, 503, 504] as const).map((status) => [status, proxyError(status)] as const);
const proxy = replaced("a proxy responds 502, 503, 504", incr, Object.fromEntries(errors));

const json = { "Content-Type": "application/json" };
const bad = (call: typeof get): Fault =>
  replaced("200 with HTML, truncated JSON, an empty body", call, {
    html: httpResponse(200, "<html><body>Sign in to this network</body></html>", {
      "Content-Type": "text/html",
    }),
    half: httpResponse(200, '{"result":"dmFs', json),
    empty: httpResponse(200, "", json),
  });

/** Number of calls to a server that closes at random; half of them are writes. */
const RACES = 60;
const RESTART_MS = 400;

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

type Happening = (connection: ProxiedConnection) => void;

const HAPPENINGS: readonly [title: string, happening: Happening, onlyHttp?: boolean][] = [
  ["the server closes", (connection) => connection.close()],
  [
    "the server responds 408 and closes",
    (connection) => {
      connection.toClient(httpResponse(408, "", { Connection: "close" }));
      connection.close();
    },
    true,
  ],
  ["the close is lost, a reset follows", (connection) => connection.dropFlow("reset")],
  ["the network drops the flow", (connection) => connection.blackhole()],
];

const frozen = ([title, happening, onlyHttp]: (typeof HAPPENINGS)[number]): Fault[] =>
  [get, incr].map((call) => ({
    title: `${call("").command}, frozen and ${title}`,
    frozen: true,
    onlyHttp,
    stage: ({ key, proxy }) => ({
      turns: [[call(key("k"))]],
      strike: () => {
        for (const connection of proxy.connections) happening(connection);
        return undefined;
      },
    }),
  }));

export const FAULTS: readonly Fault[] = [
  // Applied, and the response is lost or invalid.
  ...[lost(1), lost(2), lost(5), reads, overwritten, batch, proxy, cut, bad(get), bad(incr)],
  // Not applied, or unknown.
  ...[dropped, race, restart(get), restart(incr), mute],
  ...HAPPENINGS.flatMap(frozen),
];
