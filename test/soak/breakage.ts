import {
  type Behaviour,
  closeBeforeReply,
  cutReply,
  delayReply,
  type Fault,
  loseReply,
  proxyError,
  rewrite,
  slow,
  surplus,
} from "warmline-testbed";

/** How often each thing befalls an exchange, in thousandths. */
const FAULTS: readonly [weight: number, make: (random: () => number) => Fault][] = [
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
  [8, () => surplus("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n:99\r\n")],
  [8, () => surplus("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", { delayMs: 3 })],
  [30, (random) => delayReply(Math.floor(random() * 200))],
  [10, () => slow({ bytes: 20, everyMs: 2 })],
];

/** A connection that breaks at random moments, in random ways. */
export function breaking(random: () => number): Behaviour {
  return {
    opened: (link) => {
      const dice = random();
      if (dice < 0.02) link.resetClient();
      else if (dice < 0.03) link.silence();
    },
    exchange: () => {
      let dice = random() * 1_000;
      for (const [weight, make] of FAULTS) {
        dice -= weight;
        if (dice < 0) return make(random);
      }
      return undefined;
    },
    answered: (link) => {
      const dice = random();
      if (dice < 0.02) link.close();
      else if (dice < 0.03) link.after(Math.floor(random() * 5), () => link.close());
      else if (dice < 0.04) link.resetClient();
      else if (dice < 0.05) link.forget("reset");
    },
  };
}
