import { type Duplex, duplexPair } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import type { Log } from "../../../../gateway/src/log/log.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { Credentials } from "../../../../gateway/src/redis/credentials/credentials.js";
import type { Receiver, ReplyStream, UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import {
  MultiplexedConnection,
  type MultiplexedConnectionOptions,
} from "../../../../gateway/src/redis/multiplexed-connection.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { commands } from "../../../support/commands.js";

/** The commands that Redis has received on one connection, and its side of that connection. */
interface Connection {
  readonly side: Duplex;
  received: string[];
}

let multiplexed: MultiplexedConnection;
/** Whether connecting fails. */
let refuse = false;
afterEach(() => {
  refuse = false;
  multiplexed.close();
  vi.useRealTimers();
});

/** A connection whose sockets finish their handshake at once; the test sends all later replies. */
function start(options: Partial<MultiplexedConnectionOptions> = {}): Connection[] {
  const connections: Connection[] = [];
  multiplexed = new MultiplexedConnection({
    connect: () => {
      if (refuse) throw new Error("connection refused");
      const [near, far] = duplexPair();
      const connection: Connection = { side: far, received: [] };
      connections.push(connection);
      far.on("data", (chunk: Buffer) => {
        const args = [...chunk.toString().matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, word]) => word!);
        if (args[0] === "PING") far.write("+PONG\r\n");
        else connection.received.push(...args);
      });
      return near;
    },
    handshake: [command("PING")],
    // Long enough for thousands of commands on a busy machine.
    timeout: 20_000,
    connectTimeout: 20_000,
    maxQueuedCommands: 100_000,
    maxReplySize: 1_000,
    reconnect: "always",
    counters: newCounters(),
    ...options,
  });
  return connections;
}

class RecordedReplies implements Receiver {
  readonly cancelled = false;
  readonly replies: string[] = [];
  readonly failures: UpstreamFailure[] = [];
  onReply(reply: Buffer): void {
    this.replies.push(reply.toString().trim());
  }
  onFailure(failure: UpstreamFailure): void {
    this.failures.push(failure);
  }
}

/** Replies to each command with its name as it comes, until `count` have come. */
async function replyToAll({ side, received }: Connection, count: number): Promise<void> {
  for (let answered = 0; answered < count; ) {
    await expect.poll(() => received.length, { interval: 1 }).toBeGreaterThan(answered);
    const due = received.slice(answered);
    answered += due.length;
    side.write(due.map((word) => `+${word}\r\n`).join(""));
  }
}

/** Sends commands that are the letter and a number. */
function sendMany(count: number, letter: string, receiver: Receiver): void {
  const commands = Array.from({ length: count }, (_, i) => command(`${letter}${i}`));
  multiplexed.send(commands, receiver);
}

/** Resolves when the connection is open. */
async function ready(): Promise<void> {
  multiplexed.open();
  await expect.poll(() => multiplexed.ready).toBe(true);
}

test("a command waits for at most a slice of ten thousand earlier ones", async () => {
  const [connections, long, short] = [start(), new RecordedReplies(), new RecordedReplies()];
  sendMany(10_000, "L", long);
  await expect.poll(() => connections[0]?.received.length).toBeGreaterThan(0);
  const { received } = connections[0]!;
  const turn = received.length;
  expect(turn).toBeLessThanOrEqual(1_000);
  multiplexed.send([command("SHORT")], short);
  await expect.poll(() => received.length).toBeGreaterThan(turn);
  expect(received.indexOf("SHORT")).toBe(turn);
  // The rest follows as replies come, in its order.
  await replyToAll(connections[0]!, 10_001);
  await expect.poll(() => long.replies.length).toBe(10_000);
  expect(long.replies).toEqual(Array.from({ length: 10_000 }, (_, i) => `+L${i}`));
  expect(short.replies).toEqual(["+SHORT"]);
});

test("a long batch leaves room for commands of others, and none for another long one", async () => {
  const connections = start({ maxQueuedCommands: 3_000 });
  const [long, short, refused] = [new RecordedReplies(), new RecordedReplies(), new RecordedReplies()];
  sendMany(3_000, "L", long);
  await expect.poll(() => connections[0]?.received.length).toBeGreaterThan(0);
  sendMany(3_000, "R", refused);
  expect(new Set(refused.failures.map(({ reason }) => reason))).toEqual(new Set(["full"]));
  await expect.poll(() => refused.failures.length).toBe(3_000);
  // Together with a slice of the long batch, one more than may be pending.
  for (let i = 0; i < 2_001; i++) multiplexed.send([command(`S${i}`)], short);
  expect(short.failures.map(({ reason }) => reason)).toEqual(["full"]);
  await replyToAll(connections[0]!, 5_000);
  await expect.poll(() => [long.replies.length, short.replies.length]).toEqual([3_000, 2_000]);
  sendMany(3_000, "N", refused);
  expect(refused.failures.length).toBe(3_000);
});

test("a silent connection gets no more commands, and its late replies still count", async () => {
  const connections = start({ timeout: 500 });
  const [first, second, third] = [new RecordedReplies(), new RecordedReplies(), new RecordedReplies()];
  multiplexed.send([command("FIRST")], first);
  await expect.poll(() => connections[0]?.received.length).toBe(1);
  multiplexed.send([command("SECOND")], second, performance.now() + 60_000);
  await expect.poll(() => connections.length, { timeout: 5_000 }).toBe(2);
  expect(first.failures[0]!.reason).toBe("timeout");
  multiplexed.send([command("THIRD")], third, performance.now() + 60_000);
  await expect.poll(() => connections[1]!.received).toEqual(["THIRD"]);
  expect(connections[0]!.received).toEqual(["FIRST", "SECOND"]);
  connections[0]!.side.write("+1\r\n+2\r\n");
  connections[1]!.side.write("+3\r\n");
  await expect.poll(() => [...second.replies, ...third.replies].sort()).toEqual(["+2", "+3"]);
  expect(first.replies).toEqual([]);
});

test("commands are refused at once while an on-demand connection is down", async () => {
  const connections = start({ reconnect: "wanted" });
  const responses = new RecordedReplies();
  refuse = true;
  multiplexed.send([command("A")], responses);
  await expect.poll(() => responses.failures.length).toBe(1);
  multiplexed.send([command("B")], responses);
  await expect.poll(() => responses.failures.map(({ outcome }) => outcome)).toEqual(["unsent", "unsent"]);
  refuse = false;
  await expect
    .poll(() => {
      multiplexed.send([command("C")], responses);
      return connections[0]?.received.length;
    })
    .toBeGreaterThan(0);
  expect(new Set(connections[0]!.received)).toEqual(new Set(["C"]));
});

test("an on-demand connection stops reconnecting without commands", async () => {
  let attempts = 0;
  start({
    idle: 100,
    connect: () => {
      attempts++;
      throw new Error("connection refused");
    },
    timeout: 150,
  });
  const responses = new RecordedReplies();
  multiplexed.send([command("VAIN")], responses);
  await expect.poll(() => responses.failures.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = attempts;
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect(attempts).toBe(before);
});

test("a connection is tried again at least every 2 s", async () => {
  vi.useFakeTimers();
  const connect = vi.fn<() => Duplex>(() => {
    throw new Error("connection refused");
  });
  start({ connect });
  multiplexed.open();
  await vi.advanceTimersByTimeAsync(20_000);
  connect.mockClear();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(connect.mock.calls.length).toBeGreaterThanOrEqual(10);
});

test("the first command of a tick is written at once, and the others of the tick together", async () => {
  const counters = newCounters();
  const [connections, responses] = [start({ counters }), new RecordedReplies()];
  const send = (...names: string[]) => {
    for (const name of names) multiplexed.send([command(name)], responses);
  };
  const written = async (...names: string[]) => {
    await expect.poll(() => connections[0]!.received).toEqual(names);
    connections[0]!.received = [];
    connections[0]!.side.write("+OK\r\n".repeat(names.length));
    await expect.poll(() => multiplexed.pending).toBe(0);
  };
  await ready();
  send("A");
  expect(counters.commands).toBe(1);
  await written("A");
  send("B", "C", "D");
  expect(counters.commands).toBe(2);
  await written("B", "C", "D");
  // If several commands came in one tick, the next ones wait for each other.
  send("E", "F");
  expect(counters.commands).toBe(4);
  await written("E", "F");
});

test("no receiver gets a failure before sending has returned", async () => {
  const [connections, responses] = [start(), new RecordedReplies()];
  await ready();
  multiplexed.send([command("GONE")], Object.assign(responses, { cancelled: true }));
  multiplexed.send([command("LATE")], responses, performance.now() - 1);
  expect(responses.failures).toEqual([]);
  await expect.poll(() => responses.failures.map(({ outcome }) => outcome)).toEqual(["unsent", "unsent"]);
  expect(connections[0]!.received).toEqual([]);
});

/** Receives large replies in chunks, and records the calls. */
function streaming(seen: string[], name: string): Receiver {
  return {
    cancelled: false,
    onReply: (reply) => seen.push(`${name} ${reply.toString().trim()}`),
    onFailure: (failure) => seen.push(`${name} ${failure.reason}`),
    onLarge() {
      let size = 0;
      seen.push(`${name} begins`);
      return {
        write(bytes) {
          size += bytes.length;
          return 0;
        },
        whenBelow() {},
        end: (failure) => seen.push(`${name} ${failure ? failure.reason : `ends after ${size}`}`),
      };
    },
  };
}

/** The first part of a large reply. */
const begun = (size: number) => `$${size}\r\n${"x".repeat(400_000)}`;
/** The rest of a large reply of 5 MB. */
const END = `${"x".repeat(4_600_000)}\r\n`;
const ENDS = "ends after 5000012";

/** Sends reads on a new connection. Returns what happens to their replies, and the connections. */
async function sendReads(...keys: string[]) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const connections = start({ maxReplySize: 100_000_000 });
  const seen: string[] = [];
  await ready();
  for (const key of keys) multiplexed.send([command("GET", key)], streaming(seen, key));
  await expect.poll(() => connections[0]!.received.length).toBe(2 * keys.length);
  return { seen, connections, first: connections[0]! };
}

/** Lets streams run. No timer fires meanwhile, unlike in a poll. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

test("a read behind a large reply that comes within a second is sent once", async () => {
  const { seen, connections, first } = await sendReads("large", "small");
  first.side.write(begun(5_000_000));
  await expect.poll(() => seen).toEqual(["large begins"]);
  vi.advanceTimersByTime(500);
  first.side.write(`${END}$1\r\ns\r\n`);
  await expect.poll(() => seen).toEqual(["large begins", `large ${ENDS}`, "small $1\r\ns"]);
  vi.advanceTimersByTime(1_200);
  await turns();
  expect(connections[1]?.received ?? []).toEqual([]);
});

test("a read behind a reply that takes long is sent again at once", async () => {
  const { connections, first } = await sendReads("large", "small");
  first.side.write(begun(50_000_000));
  await turns(200);
  expect(connections[1]?.received).toEqual(["GET", "small"]);
});

test("reads that wait for a second behind a large reply, and what follows them, use another connection", async () => {
  const connections = start({ maxReplySize: 10_000_000 });
  const seen: string[] = [];
  await ready();
  for (const args of commands("GET large", "GET small", "INCR n")) {
    multiplexed.send([command(...args)], streaming(seen, args[1]!));
  }
  const [first] = connections as [Connection];
  await expect.poll(() => first.received.length).toBe(6);
  first.side.write(begun(5_000_000));
  await expect.poll(() => connections[1]?.received).toEqual(["GET", "small"]);
  multiplexed.send([command("GET", "later")], streaming(seen, "later"));
  await expect.poll(() => connections[1]!.received).toEqual(["GET", "small", "GET", "later"]);
  connections[1]!.side.write("$1\r\ns\r\n$1\r\nl\r\n");
  await expect.poll(() => seen).toEqual(["large begins", "small $1\r\ns", "later $1\r\nl"]);
  // A cancelled command's reply arrives here too, and is dropped; the write gets its reply where it was sent.
  first.side.write(`${END}$1\r\ns\r\n:1\r\n`);
  await expect.poll(() => seen.slice(3)).toEqual([`large ${ENDS}`, "n :1"]);
  expect(connections.length).toBe(2);
  // The connection that is free again takes the next one's place.
  multiplexed.send([command("GET", "large")], streaming(seen, "large"));
  await expect.poll(() => connections[1]!.received.length).toBe(6);
  connections[1]!.side.write(begun(5_000_000));
  await expect.poll(() => seen.length).toBe(6);
  multiplexed.send([command("GET", "last")], streaming(seen, "last"));
  await expect.poll(() => first.received.slice(6)).toEqual(["GET", "last"]);
  expect(connections.length).toBe(2);
});

test("a long batch behind a large reply continues on another connection, in its order", async () => {
  const connections = start({ maxReplySize: 10_000_000 });
  const seen: string[] = [];
  sendMany(1_200, "L", streaming(seen, "reply"));
  await expect.poll(() => connections[0]?.received.length).toBe(1_000);
  connections[0]!.side.write(begun(5_000_000));
  await expect.poll(() => connections.length).toBe(2);
  connections[0]!.side.write(`${END}${"+OK\r\n".repeat(998)}`);
  await expect.poll(() => seen.length).toBe(1_000);
  expect(connections[1]!.received).toEqual([]);
  connections[0]!.side.write("+OK\r\n");
  await expect.poll(() => connections[1]!.received.length).toBe(200);
  expect([connections[1]!.received[0], connections[0]!.received.length]).toEqual(["L1000", 1_000]);
});

/** Receives large replies, and takes nothing until {@link drain}. */
class SlowReader extends RecordedReplies {
  backlog = 0;
  size = 0;
  state = "";
  #listener = () => {};
  constructor(readonly budget: BufferBudget) {
    super();
  }
  onLarge(): ReplyStream {
    this.state = "begun";
    return {
      write: (bytes) => {
        this.size += bytes.length;
        if (!this.budget.take(bytes.length)) this.state = "cut";
        if (this.state === "cut") return 0;
        this.backlog += bytes.length;
        return this.backlog;
      },
      whenBelow: (_, listener) => {
        this.#listener = listener;
      },
      end: (failure) => {
        if (failure) this.state = failure.reason;
        else if (this.state !== "cut") this.state = "whole";
      },
    };
  }
  drain(): void {
    this.budget.give(this.backlog);
    this.backlog = 0;
    this.#listener();
  }
}

const MB = 1024 * 1024;

/** Sends a reply of 6 MB, in chunks like those of a socket. */
function sendLargeReply({ side }: Connection): void {
  side.write(`$${6 * MB}\r\n`);
  for (let sent = 0; sent < 6 * MB; sent += 64 * 1024) side.write("x".repeat(64 * 1024));
  side.write("\r\n");
}

/** Reads until each reply is whole. */
async function drainAll(readers: readonly SlowReader[]): Promise<void> {
  for (const reader of readers) {
    await expect
      .poll(() => {
        reader.drain();
        return reader.state;
      })
      .toBe("whole");
  }
}

test("a dozen large replies are read no faster than their slow readers take them", async () => {
  const budget = new BufferBudget(32 * MB);
  const connections = start({ maxReplySize: 10 * MB, budget });
  const readers = Array.from({ length: 12 }, () => new SlowReader(budget));
  for (const [i, reader] of readers.entries()) {
    multiplexed.send([command("GETDEL", "k")], reader);
    await expect.poll(() => connections[i]?.received.length).toBe(2);
    sendLargeReply(connections[i]!);
    await expect.poll(() => reader.state).toBe("begun");
  }
  await expect.poll(() => readers.every(({ backlog }) => backlog > 200_000)).toBe(true);
  expect(readers.filter(({ size }) => size > 5 * MB)).toEqual([]);
  await drainAll(readers);
});

test("large replies on one connection are read no faster than their readers take them, however long that takes", async () => {
  const budget = new BufferBudget(8 * MB);
  const connections = start({ maxReplySize: 10 * MB, budget });
  const readers = Array.from({ length: 3 }, () => new SlowReader(budget));
  await ready();
  const deadline = performance.now() + 600;
  for (const [i, reader] of readers.entries())
    multiplexed.send([command("GETDEL", "k")], reader, i === 0 ? undefined : deadline);
  await expect.poll(() => connections[0]!.received.length).toBe(6);
  for (const _ of readers) sendLargeReply(connections[0]!);
  await expect.poll(() => budget.isTight).toBe(true);
  // The commands behind the first reply had less time than its reader takes.
  await expect.poll(() => performance.now() > deadline + 50).toBe(true);
  await drainAll(readers);
  expect(readers.flatMap(({ failures }) => failures)).toEqual([]);
});

test("a command behind a large reply of a read does not wait for its reader", async () => {
  const budget = new BufferBudget(4 * MB);
  const connections = start({ maxReplySize: 10 * MB, budget });
  const [reader, behind] = [new SlowReader(budget), new RecordedReplies()];
  await ready();
  multiplexed.send([command("GET", "k")], reader);
  multiplexed.send([command("INCR", "n")], behind);
  await expect.poll(() => connections[0]!.received.length).toBe(4);
  sendLargeReply(connections[0]!);
  connections[0]!.side.write(":1\r\n");
  await expect.poll(() => behind.replies).toEqual([":1"]);
  expect([reader.state, reader.size > 6 * MB]).toEqual(["cut", true]);
});

test("a large reply whose connection is lost fails", async () => {
  const connections = start({ maxReplySize: 10_000_000 });
  const seen: string[] = [];
  await ready();
  multiplexed.send([command("GET", "large")], streaming(seen, "large"));
  await expect.poll(() => connections[0]!.received.length).toBe(2);
  connections[0]!.side.write(begun(5_000_000));
  await expect.poll(() => seen).toEqual(["large begins"]);
  connections[0]!.side.end();
  await expect.poll(() => seen).toEqual(["large begins", "large lost"]);
});

test("commands of a refused or cancelled batch of thousands fail in slices, each once", async () => {
  const connections = start({ maxQueuedCommands: 1 });
  const first = new RecordedReplies();
  multiplexed.send([command("FIRST")], first);
  await expect.poll(() => connections[0]?.received).toEqual(["FIRST"]);
  const refused = new RecordedReplies();
  sendMany(4_500, "REFUSED", refused);
  expect(refused.failures.length).toBe(1_000);
  await expect.poll(() => refused.failures.length).toBe(4_500);
  connections[0]!.side.write("+OK\r\n");
  await expect.poll(() => first.replies).toEqual(["+OK"]);

  let cancelled = false;
  const failures: number[] = [];
  sendMany(4_500, "LEFT", {
    get cancelled() {
      return cancelled;
    },
    onReply: (_, tag) => failures.push(tag),
    onFailure: (_, tag) => failures.push(tag),
  });
  await expect.poll(() => connections[0]!.received.length).toBe(1_001);
  cancelled = true;
  connections[0]!.side.write("+OK\r\n".repeat(1_000));
  await expect.poll(() => failures.length).toBe(4_500);
  expect(failures).toEqual(Array.from({ length: 4_500 }, (_, tag) => tag));
  expect([multiplexed.pending, connections[0]!.received.length]).toEqual([0, 1_001]);
});

/** Credentials whose password the test changes. */
function changingCredentials() {
  const lines: string[] = [];
  let count = 1;
  let changed = () => {};
  const source = {
    description: "the source",
    isQuick: true,
    read: async () => ({ username: "app", password: `p${count}` }),
    watch: (onChange: () => void) => {
      changed = onChange;
      return () => {};
    },
  };
  const log = { error: (line: string) => lines.push(line), info() {} } as unknown as Log;
  const change = () => {
    count++;
    changed();
  };
  return { credentials: new Credentials(source, log), change, lines };
}

test("a new password is sent between the commands of others, and each keeps its own reply", async () => {
  const { credentials, change, lines } = changingCredentials();
  const connections = start({ credentials });
  const [first, second] = [new RecordedReplies(), new RecordedReplies()];
  multiplexed.send([command("A")], first);
  await expect.poll(() => connections[0]?.received).toEqual(["AUTH", "app", "p1", "PING"]);
  const { side, received } = connections[0]!;
  side.write("+OK\r\n+PONG\r\n");
  await expect.poll(() => received).toEqual(["AUTH", "app", "p1", "PING", "A"]);
  change();
  await expect.poll(() => received.slice(5)).toEqual(["AUTH", "app", "p2"]);
  multiplexed.send([command("B")], second);
  await expect.poll(() => received.at(-1)).toBe("B");
  side.write("+a\r\n-WRONGPASS invalid\r\n+b\r\n");
  await expect.poll(() => second.replies).toEqual(["+b"]);
  expect(first.replies).toEqual(["+a"]);
  // Refused: the connection stays, signed in as before, and the next password is tried.
  expect(lines).toEqual(["Redis refused the user and password of the source: WRONGPASS invalid"]);
  expect(multiplexed.isOutdated).toBe(true);
  change();
  await expect.poll(() => received.slice(-3)).toEqual(["AUTH", "app", "p3"]);
  side.write("+OK\r\n");
  await expect.poll(() => multiplexed.isOutdated).toBe(false);
  expect(connections).toHaveLength(1);
});
