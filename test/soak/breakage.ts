import {
  type Behaviour,
  closeBeforeReply,
  cutReply,
  delayReply,
  extraBytes,
  type Fault,
  httpResponse,
  loseReply,
  proxyError,
  rewrite,
  slow,
} from "warmline-testbed";
import { chunked, held, hinted, twice, wrongLength } from "./reframed.js";

/** Frequency of each fault per exchange, in thousandths. */
type Faults = readonly (readonly [weight: number, make: (random: () => number) => Fault])[];

const FAULTS: Faults = [
  [12, () => loseReply()],
  [12, () => loseReply({ leave: "reset" })],
  [4, () => loseReply({ leave: "silent" })],
  [8, () => closeBeforeReply({ deliver: true })],
  [8, () => closeBeforeReply({ deliver: false, leave: "reset" })],
  [8, (random) => cutReply({ bytes: Math.floor(random() * 300), leave: random() < 0.5 ? "close" : "reset" })],
  [4, () => rewrite(proxyError(502))],
  [4, () => rewrite(proxyError(503, { "Retry-After": "0" }))],
  [4, () => rewrite(proxyError(504), { deliver: false, leave: "close" })],
  [3, () => rewrite("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<htm>")],
  [3, () => rewrite("SSH-2.0-OpenSSH\r\n", { leave: "close" })],
  [30, (random) => delayReply(Math.floor(random() * 200))],
  [10, () => slow({ bytes: 20, everyMs: 2 })],
];

/** Faults that the client's own HTTP distinguishes, and the fetch of some runtimes does not. */
const SURPLUS: Faults = [
  [8, () => extraBytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n:99\r\n")],
  [8, () => extraBytes("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", { delayMs: 3 })],
];

const json = { "Content-Type": "application/json" };
const unsent = { ...json, "Warmline-Gateway": "0", "Warmline-Outcome": "unsent", "Retry-After": "0" };

/** Faults that the client has to detect although all bytes arrive. */
const REFRAMED: Faults = [
  [8, (random) => wrongLength(1 + Math.floor(random() * 50))],
  [10, (random) => chunked(1 + Math.floor(random() * 40))],
  [8, (random) => chunked(1 + Math.floor(random() * 20), Math.floor(random() * 4))],
  [8, () => hinted()],
  [6, (random) => held(random() * 2_000)],
  [3, (random) => delayReply(500 + Math.floor(random() * 2_000))],
  [5, () => rewrite(proxyError(502, { "Warmline-Outcome": "unknown" }))],
  [4, () => rewrite(httpResponse(502, '{"error":"ERR lost"}', { ...json, "Warmline-Outcome": "unknown" }))],
  [6, () => rewrite(httpResponse(503, '{"error":"ERR no room"}', unsent), { deliver: false })],
  [6, () => rewrite(httpResponse(429, "<html>", { "Retry-After": "0" }), { deliver: false })],
  [
    4,
    () =>
      rewrite(httpResponse(429, '{"error":"ERR slow down"}', { ...json, "Retry-After": "1" }), {
        deliver: false,
      }),
  ],
  [3, () => rewrite(httpResponse(301, "", { Location: "/elsewhere" }), { deliver: false })],
  [3, () => rewrite(httpResponse(413, "<html>", { "Content-Type": "text/html" }), { deliver: false })],
];

const DOUBLED: Faults = [
  [8, () => twice()],
  [8, (random) => wrongLength(-1 - Math.floor(random() * 20))],
];

/**
 * Like {@link breaking}, and also responses with another framing, or from an intermediary.
 * @param surplus whether a response may have extra bytes
 */
export function breakingMore(random: () => number, surplus: boolean): Behaviour {
  const faults = [...FAULTS, ...REFRAMED];
  return breaking(random, surplus ? [...faults, ...SURPLUS, ...DOUBLED] : faults);
}

/** A connection that breaks at random moments, in random ways. */
export function breaking(random: () => number, faults: Faults = [...FAULTS, ...SURPLUS]): Behaviour {
  return {
    opened: (connection) => {
      const dice = random();
      if (dice < 0.02) connection.resetClient();
      else if (dice < 0.03) connection.blackhole();
    },
    exchange: () => {
      let dice = random() * 1_000;
      for (const [weight, make] of faults) {
        dice -= weight;
        if (dice < 0) return make(random);
      }
      return undefined;
    },
    responded: (connection) => {
      const dice = random();
      if (dice < 0.02) connection.close();
      else if (dice < 0.03) connection.after(Math.floor(random() * 5), () => connection.close());
      else if (dice < 0.04) connection.resetClient();
      else if (dice < 0.05) connection.dropFlow("reset");
    },
  };
}
