import { duplexPair } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { ExclusiveConnections } from "../../../../gateway/src/redis/exclusive-connections.js";
import type { UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { commandsIn } from "./fake-cluster.js";

// A transaction longer than one chunk is cancelled after its first chunk. Redis has queued those commands, and on the same
// connection the EXEC of the next transaction would execute them.

const COMMANDS = 1_500;

test.each([
  ["its client is gone", true],
  ["it timed out", false],
])("a partly sent transaction is never executed, not even with the next one, if %s", async (_, isGone) => {
  const executed: string[][] = [];
  let connections = 0;
  let received = 0;
  let cancelled = false;
  /** Opens a connection to a fake Redis that runs transactions. */
  const connect = () => {
    connections++;
    const [near, far] = duplexPair();
    let queued: string[] | null = null;
    far.on("data", (chunk: Buffer) => {
      for (const [name = ""] of commandsIn(chunk)) {
        let reply = queued ? "+QUEUED" : "+OK";
        if (name === "MULTI") {
          reply = queued ? "-ERR MULTI calls can not be nested" : "+OK";
          queued ??= [];
        } else if (name === "EXEC" || name === "DISCARD") {
          if (name === "EXEC") executed.push(queued!);
          reply = name === "EXEC" ? `*1\r\n+${queued!.length}` : "+OK";
          queued = null;
        } else queued?.push(name);
        far.write(`${reply}\r\n`);
        if (name !== "FIRST" || ++received !== 999) continue;
        if (isGone) cancelled = true;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
      }
    });
    return near;
  };
  const options = {
    connect,
    handshake: [command("PING")],
    timeout: 1_000,
    connectTimeout: 5_000,
    maxQueuedCommands: 100_000,
    maxReplySize: 100_000,
    reconnect: "never",
    counters: newCounters(),
  } as const;
  const exclusive = new ExclusiveConnections(options, {
    maxBlockingConnections: 1,
    maxTransactionConnections: 1,
  });
  onTestFinished(() => exclusive.close());
  const run = (name: string, isCancelled: () => boolean) =>
    new Promise<"executed" | UpstreamFailure>((resolve) => {
      const receiver = {
        get cancelled() {
          return isCancelled();
        },
        onExec: () => resolve("executed"),
        onFailure: resolve,
      };
      const commands = Array.from({ length: COMMANDS }, () => command(name));
      exclusive.transaction(commands, receiver);
    });
  expect(await run("FIRST", () => cancelled)).toMatchObject({ outcome: "unsent" });
  expect(received).toBeLessThan(COMMANDS);
  expect(await run("SECOND", () => false)).toBe("executed");
  expect(executed.map((names) => new Set(names))).toEqual([new Set(["SECOND"])]);
  expect(connections).toBe(2);
});
