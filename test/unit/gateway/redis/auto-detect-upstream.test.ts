import { duplexPair } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { AutoDetectUpstream, Finding } from "../../../../gateway/src/redis/auto-detect-upstream.js";
import { AwaitingPrimary } from "../../../../gateway/src/redis/awaiting-primary.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { PrimaryFinder } from "../../../../gateway/src/redis/primary-finder.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { commandsIn, sent } from "./fake-cluster.js";

const TIMEOUT = 2_000;

let upstream: AutoDetectUpstream;
afterEach(() => {
  vi.useRealTimers();
  upstream.close();
});

/**
 * A server that replies to detection when `resolve` is called, and to all else if `responses`. Returns the other
 * commands that it received. The first `busy` detections get an error.
 */
function start(
  responses = true,
  busy = 0,
): { received: string[]; resolve: () => void; asked: Promise<void> } {
  const received: string[] = [];
  let asked = 0;
  let resolve = () => {};
  let onAsked = () => {};
  const requested = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const connect = () => {
    const [near, far] = duplexPair();
    far.on("data", (chunk: Buffer) => {
      for (const [name = "", ...args] of commandsIn(chunk)) {
        if (name === "INFO") {
          if (asked++ < busy) {
            far.write("-BUSY Redis is busy running a script.\r\n");
            continue;
          }
          const text = "# Cluster\r\ncluster_enabled:0\r\n";
          resolve = () => far.write(`$${text.length}\r\n${text}\r\n`);
          onAsked();
          continue;
        }
        const isCommon = ["PING", "CLIENT", "MULTI", "DISCARD"].includes(name);
        if (!isCommon) received.push([name, ...args].join(" "));
        if (isCommon || responses) far.write("+OK\r\n");
      }
    });
    return near;
  };
  const server = {
    connect,
    timeout: TIMEOUT,
    connections: 1,
    maxBlockingConnections: 1,
    maxTransactionConnections: 1,
    maxQueuedCommands: 10,
    maxReplySize: 1_000,
    counters: newCounters(),
  };
  const cluster = () => {
    throw new Error("it is none");
  };
  const waiting = new AwaitingPrimary(server, new PrimaryFinder());
  upstream = new AutoDetectUpstream(waiting, cluster, new Finding());
  return { received, resolve: () => resolve(), asked: requested };
}

test("a command cancelled before the server's type is known is never written", async () => {
  const { received, resolve, asked: requested } = start();
  const gone = { cancelled: false, failures: 0, onReply() {}, onFailure: () => void gone.failures++ };
  const onExec = () => {};
  upstream.send([command("INCR", "gone")], gone);
  const cancels = [
    upstream.sendAlone([command("BLPOP", "gone", "1")], [1_000], gone),
    upstream.transaction([command("SET", "gone", "1")], {
      get cancelled() {
        return gone.cancelled;
      },
      onExec,
      onFailure: gone.onFailure,
    }),
  ];
  const here = sent((commands, receiver) => upstream.send(commands, receiver), ["INCR here"]);
  await requested;
  gone.cancelled = true;
  for (const cancel of cancels) cancel();
  resolve();
  expect(await here).toEqual(["+OK"]);
  await expect.poll(() => gone.failures).toBe(3);
  expect(received).toEqual(["INCR here"]);
});

test("a queued command has that much less time for its reply", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { received, resolve, asked: requested } = start(false);
  const failed: Record<string, number> = {};
  const receiver = (name: string) => ({
    cancelled: false,
    onReply() {},
    onExec() {},
    onFailure: () => {
      failed[name] = performance.now();
    },
  });
  const begun = performance.now();
  const half = TIMEOUT / 2;
  const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  upstream.send([command("GET", "k")], receiver("command"));
  upstream.sendAlone([command("BLPOP", "k", "1")], [1_000], receiver("blocking"));
  upstream.transaction([command("SET", "k", "1")], receiver("transaction"));
  await requested;
  await later(half);
  // The only connections of their sort are in use.
  upstream.sendAlone([command("GET", "k")], [0], receiver("second blocking"));
  upstream.transaction([command("GET", "k")], receiver("second transaction"));
  resolve();
  await vi.waitFor(() => expect(received).toContain("EXEC"), 10_000);
  for (let ms = 0; ms < 3 * TIMEOUT; ms += 10) {
    await later(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const after = Object.entries(failed).map(([name, at]) => [name, Math.round((at - begun) / 100) * 100]);
  expect(Object.fromEntries(after)).toEqual({
    command: TIMEOUT,
    blocking: TIMEOUT + 1_000,
    transaction: TIMEOUT,
    "second blocking": TIMEOUT + half,
    "second transaction": TIMEOUT + half,
  });
});

test("a server that is busy with a script is detected when it is not", async () => {
  const { asked: requested, resolve } = start(true, 1);
  const early = sent((commands, receiver) => upstream.send(commands, receiver), ["INCR early"]);
  await requested;
  resolve();
  expect(await early).toEqual(["+OK"]);
});
