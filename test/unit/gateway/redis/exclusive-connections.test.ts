import { type Duplex, duplexPair } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { ExclusiveConnections } from "../../../../gateway/src/redis/exclusive-connections.js";
import type { UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import type { TransactionReceiver } from "../../../../gateway/src/redis/upstream.js";
import { type Command, command } from "../../../../gateway/src/resp/command.js";

// A transaction too long for one tick, cancelled between two of them: Redis holds its first commands, and the next user
// of that connection would execute them.

const COMMANDS = 1_500;

/** A Redis for transactions that replies when the test calls for it. */
class Server {
  connections = 0;
  /** The executed commands, one entry per transaction. */
  readonly executed: string[][] = [];
  onCommand: (name: string) => void = () => {};

  connect = (): Duplex => {
    this.connections++;
    const [near, far] = duplexPair();
    let queued: string[] | null = null;
    let text = "";
    far.on("data", (chunk: Buffer) => {
      text += chunk;
      for (;;) {
        const found = /^\*1\r\n\$\d+\r\n(\w+)\r\n/.exec(text);
        if (!found) return;
        text = text.slice(found[0].length);
        const name = found[1]!;
        far.write(this.#reply(name, queued));
        if (name === "MULTI") queued ??= [];
        else if (name === "EXEC" || name === "DISCARD") queued = null;
        else queued?.push(name);
        this.onCommand(name);
      }
    });
    return near;
  };

  #reply(name: string, queued: string[] | null): string {
    if (name === "MULTI") return queued ? "-ERR MULTI calls can not be nested\r\n" : "+OK\r\n";
    if (name !== "EXEC") return queued && name !== "DISCARD" ? "+QUEUED\r\n" : "+OK\r\n";
    this.executed.push(queued!);
    return `*${queued!.length}\r\n${"+OK\r\n".repeat(queued!.length)}`;
  }
}

/** A caller that needs a transaction, and its result. */
class Asker implements TransactionReceiver {
  cancelled = false;
  readonly outcome: Promise<"executed" | UpstreamFailure>;
  leave = () => {
    this.cancelled = true;
  };
  onExec!: TransactionReceiver["onExec"];
  onFailure!: TransactionReceiver["onFailure"];

  constructor() {
    this.outcome = new Promise((resolve) => {
      this.onExec = () => resolve("executed");
      this.onFailure = resolve;
    });
  }
}

let single: ExclusiveConnections;
afterEach(() => single.close());

function start(server: Server): void {
  const pipe = {
    connect: server.connect,
    handshake: [command("PING")],
    timeout: 1_000,
    connectTimeout: 5_000,
    maxQueuedCommands: 100_000,
    maxReplySize: 100_000,
    reconnect: "never",
    counters: newCounters(),
  } as const;
  single = new ExclusiveConnections(pipe, { maxBlockingConnections: 1, maxTransactionConnections: 1 });
}

const args = (name: string): Command[] => Array.from({ length: COMMANDS }, () => command(name));

test.each([
  ["its client is gone", (asker: Asker) => asker.leave()],
  ["it timed out", () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)],
])("a transaction is not executed, not even with the next one, if %s", async (_, giveUp) => {
  const server = new Server();
  start(server);
  const first = new Asker();
  let heard = 0;
  server.onCommand = (name) => {
    if (name === "FIRST" && ++heard === 999) giveUp(first);
  };
  single.transaction(args("FIRST"), first);
  expect(await first.outcome).toMatchObject({ outcome: "unsent" });
  expect(heard).toBeLessThan(COMMANDS);
  const second = new Asker();
  single.transaction(args("SECOND"), second);
  expect(await second.outcome).toBe("executed");
  expect(server.executed.map((names) => new Set(names))).toEqual([new Set(["SECOND"])]);
  expect(server.connections).toBe(2);
});
