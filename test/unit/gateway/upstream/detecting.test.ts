import { duplexPair } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { command } from "../../../../gateway/src/upstream/command.js";
import { Detecting } from "../../../../gateway/src/upstream/detecting.js";
import { newCounters, Server } from "../../../../gateway/src/upstream/server.js";
import { commandsIn, sent } from "./fake-cluster.js";

let upstream: Detecting;
afterEach(() => upstream.close());

/** A server that is asked what it is; it answers when `tell` is called. Returns what else it got. */
function start(): { received: string[]; tell: () => void; asked: Promise<void> } {
  const received: string[] = [];
  let tell = () => {};
  let onAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const connect = () => {
    const [near, far] = duplexPair();
    far.on("data", (chunk: Buffer) => {
      for (const [name = "", ...words] of commandsIn(chunk)) {
        if (name === "INFO") {
          const text = "# Cluster\r\ncluster_enabled:0\r\n";
          tell = () => far.write(`$${text.length}\r\n${text}\r\n`);
          onAsked();
          continue;
        }
        if (name !== "PING" && name !== "MULTI" && name !== "DISCARD")
          received.push([name, ...words].join(" "));
        far.write("+OK\r\n");
      }
    });
    return near;
  };
  const server = new Server({
    connect,
    timeout: 2_000,
    connections: 1,
    maxBlocking: 1,
    maxTransactions: 1,
    maxPending: 10,
    maxReply: 1_000,
    counters: newCounters(),
  });
  const cluster = () => {
    throw new Error("it is none");
  };
  upstream = new Detecting(server, cluster, 1_000);
  return { received, tell: () => tell(), asked };
}

it("what nobody waits for any more when the server has said what it is, is never written", async () => {
  const { received, tell, asked } = start();
  const gone = { abandoned: false, failures: 0, onReply() {}, onFailure: () => void gone.failures++ };
  const onExec = () => {};
  upstream.send([command("INCR", "gone")], gone);
  const cancels = [
    upstream.sendAlone([command("BLPOP", "gone", "1")], [1_000], gone),
    upstream.transaction([command("SET", "gone", "1")], {
      get abandoned() {
        return gone.abandoned;
      },
      onExec,
      onFailure: gone.onFailure,
    }),
  ];
  const here = sent((commands, receiver) => upstream.send(commands, receiver), ["INCR here"]);
  await asked;
  gone.abandoned = true;
  for (const cancel of cancels) cancel();
  tell();
  expect(await here).toEqual(["+OK"]);
  await expect.poll(() => gone.failures).toBe(3);
  expect(received).toEqual(["INCR here"]);
});
