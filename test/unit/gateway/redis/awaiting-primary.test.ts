import { duplexPair } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { AwaitingPrimary } from "../../../../gateway/src/redis/awaiting-primary.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { type Receiver, UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import { PrimaryFinder } from "../../../../gateway/src/redis/primary-finder.js";
import { type Command, command } from "../../../../gateway/src/resp/command.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { commandsIn, sent } from "./fake-cluster.js";

const READONLY = "-READONLY You can't write against a read only replica.";
const HANDSHAKE = ["PING", "CLIENT"];

let upstream: AwaitingPrimary;
afterEach(() => upstream.close());

interface Setup {
  readonly isUp?: () => boolean;
  readonly timeout?: number;
  readonly budget?: BufferBudget;
  readonly believes?: PrimaryFinder["believes"];
}

/** A server that replies with the result of `reply`, or closes if that is null; null for one that can't be reached. */
function start(
  reply: (args: readonly string[]) => string | null,
  { isUp = () => true, timeout = 10_000, ...more }: Setup = {},
) {
  const received: string[] = [];
  const connect = () => {
    if (!isUp()) throw new Error("connection refused");
    const [near, far] = duplexPair();
    far.on("data", (chunk: Buffer) => {
      for (const args of commandsIn(chunk)) {
        const isOurs = HANDSHAKE.includes(args[0]!);
        if (!isOurs) received.push(args.join(" "));
        const response = isOurs ? "+OK" : reply(args);
        if (response === null) far.end();
        else {
          const bytes = Buffer.from(`${response}\r\n`);
          for (let at = 0; at < bytes.length; at += 65_536) far.write(bytes.subarray(at, at + 65_536));
        }
      }
    });
    return near;
  };
  const options = {
    connections: 1,
    maxBlockingConnections: 2,
    maxTransactionConnections: 2,
    maxQueuedCommands: 100,
    maxReplySize: 1e6,
  };
  const server = { connect, timeout, ...options, budget: more.budget, counters: newCounters() };
  let requested = 0;
  const finder = Object.assign(new PrimaryFinder(), {
    repeatsReads: true,
    waitsFor: () => true,
    queryAgain: () => void requested++,
    ...(more.believes && { believes: more.believes }),
  });
  upstream = new AwaitingPrimary(server, finder);
  return { received, asked: () => requested, changed: () => finder.emit("change") };
}

const send = (...commands: string[]) => sent((all, receiver) => upstream.send(all, receiver), commands);
const sendAlone = (waits: number[], ...commands: string[]) =>
  sent((all: Command[], receiver) => void upstream.sendAlone(all, waits, receiver), commands);

test("a batch that a replica refused is sent again from the refused command on, reads included, in order", async () => {
  // Two rounds with two refusals each.
  let refusals = 4;
  const { received, asked } = start(([name]) => (name === "SET" && refusals-- > 0 ? READONLY : `+${name}`));
  expect(await send("GET a", "SET a 1", "GET a", "SET b 2")).toEqual(["+GET", "+SET", "+GET", "+SET"]);
  expect(received.slice(0, 4)).toEqual(["GET a", "SET a 1", "GET a", "SET b 2"]);
  expect(received.slice(-3)).toEqual(["SET a 1", "GET a", "SET b 2"]);
  // Twice in the first batch of four, and once in each batch of three that is sent again.
  expect(received.filter((text) => text === "GET a")).toHaveLength((received.length - 1) / 3 + 1);
  expect(asked()).toBeGreaterThanOrEqual(2);
});

test("a batch is not sent again if a later command of it has run", async () => {
  const { received } = start(([name]) => (name === "SET" ? READONLY : "+OK"));
  const [refused, ran] = await send("SET a 1", "INCR a");
  expect(refused).toMatchObject({ reason: "overtaken", outcome: "unsent", code: "TRYAGAIN" });
  expect(ran).toBe("+OK");
  expect(received).toEqual(["SET a 1", "INCR a"]);
});

test.each([
  READONLY,
  "-LOADING Redis is loading the dataset in memory",
  "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
  "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "-CLUSTERDOWN The cluster is down",
])("a command that is refused until its timeout fails as unsent, with the reason: %s", async (refusal) => {
  const { received } = start(() => refusal, { timeout: 2_000 });
  const [result] = await send("SET a 1");
  expect(result).toMatchObject({ outcome: "unsent", code: "UNSENT" });
  expect((result as unknown as Error).message).toContain(refusal.slice(1));
  expect(received.length).toBeGreaterThan(2);
  expect(received.length).toBeLessThan(30);
});

const ofScripts = ["-READONLY x", "-LOADING x", "-BUSY x", "-CLUSTERDOWN x"];
test.each(ofScripts)("an error of a script is its reply, and starts no search: %s", async (error) => {
  const { received, asked } = start(([name]) => (name === "SET" ? "+OK" : error));
  expect(await send("EVAL s 0", "SET a 1", "FCALL f 0")).toEqual([error, "+OK", error]);
  expect(received).toHaveLength(3);
  expect(asked()).toBe(0);
});

test("a script that replies as a replica would is run once if the server is a primary, and again if it is not", async () => {
  const verdicts = [null, null, false];
  const script = start(() => READONLY, { believes: () => verdicts.shift()! });
  expect(await send("EVAL s 0")).toEqual([READONLY]);
  expect(script.received).toEqual(["EVAL s 0"]);
  upstream.close();
  let refusals = 2;
  const replica = start(() => (refusals-- > 0 ? `${READONLY} script: 0123, on @user_script:1.` : "+OK"));
  expect(await send("EVAL s 0")).toEqual(["+OK"]);
  expect(replica.received).toHaveLength(3);
});

test("a transaction that was refused is run again as a whole: when a command was queued, by EXEC, or in its scripts", async () => {
  for (const refusals of [
    ["SET", READONLY, "-EXECABORT Transaction discarded because of previous errors."],
    ["EXEC", `-EXECABORT Transaction discarded because of: ${READONLY.slice(1)}`],
    ["EXEC", `*2\r\n+OK\r\n${READONLY}`],
  ]) {
    let left = 1;
    const { received } = start(([name]) => {
      if (name === "EXEC") return left-- > 0 ? refusals.at(-1)! : "*2\r\n+OK\r\n+OK";
      if (name === refusals[0] && left > 0) return refusals[1]!;
      return name === "MULTI" ? "+OK" : "+QUEUED";
    });
    const exec = new Promise((resolve, onFailure) => {
      upstream.transaction([command("SET", "k", "v"), command("EVAL", "s", "0")], {
        cancelled: false,
        onExec: (reply) => resolve(String(reply)),
        onFailure,
      });
    });
    expect(await exec).toBe("*2\r\n+OK\r\n+OK\r\n");
    expect(received.filter((text) => text === "EXEC")).toHaveLength(2);
    upstream.close();
  }
});

test("only the reads of lost commands are sent again", async () => {
  let lost = 0;
  const { received } = start((args) => (args[1] === "x" && lost++ < 1 ? null : "+OK"));
  expect(await send("GET x")).toEqual(["+OK"]);
  lost = 0;
  const [result] = await send("SET x 1");
  expect(result).toMatchObject({ reason: "lost", outcome: "unknown" });
  expect(received).toEqual(["GET x", "GET x", "SET x 1"]);
});

test("a large reply is streamed, also after commands that were sent again", async () => {
  const large = `$400000\r\n${"x".repeat(400_000)}`;
  let refused = 0;
  start(([name]) => (name === "GET" ? large : name === "SET" && refused++ < 1 ? READONLY : "+OK"));
  const streamed: number[] = [];
  const sentWith = (...commands: string[]) =>
    sent((all, receiver) => {
      const onLarge: Receiver["onLarge"] = (tag) => {
        let bytes = 0;
        return {
          write: (chunk) => {
            bytes += chunk.length;
            return 0;
          },
          whenBelow() {},
          end: (failure) => {
            if (failure) return receiver.onFailure(failure, tag);
            streamed.push(bytes);
            receiver.onReply(Buffer.from("+streamed\r\n"), tag);
          },
        };
      };
      upstream.send(all, Object.assign(receiver, { onLarge }));
    }, commands);
  expect(await sentWith("GET k")).toEqual(["+streamed"]);
  expect(await sentWith("GET k", "SET k v", "GET k")).toEqual(["+streamed", "+OK", "+streamed"]);
  expect(streamed).toEqual([400_011, 400_011, 400_011]);
});

test("an exclusive connection is waited for, and an interrupted wait continues for the rest", async () => {
  let attempts = 0;
  let unblocked = 0;
  const { received } = start(
    ([name]) => {
      if (name === "BLPOP" && unblocked++ < 1) return "-UNBLOCKED force unblock, instance state changed";
      return name === "EXEC" ? "*1\r\n+OK" : name === "SET" ? "+QUEUED" : "+OK";
    },
    { isUp: () => ++attempts > 3 },
  );
  const exec = new Promise((resolve, onFailure) => {
    upstream.transaction([command("SET", "k", "v")], {
      cancelled: false,
      onExec: (reply) => resolve(String(reply)),
      onFailure,
    });
  });
  expect(await sendAlone([5_000], "BLPOP q 5")).toEqual(["+OK"]);
  expect(await exec).toBe("*1\r\n+OK\r\n");
  const rests = received.filter((text) => text.startsWith("BLPOP")).map((text) => Number(text.split(" ")[2]));
  expect(rests[0]).toBe(5);
  expect(rests[1]).toBeLessThan(5);
  expect(rests[1]).toBeGreaterThan(1);
});

test("CLIENT UNBLOCK with ERROR ends a wait with its error, and the command is not sent again", async () => {
  const error = "-UNBLOCKED client unblocked via CLIENT UNBLOCK";
  const { received } = start(([name]) => (name === "BLPOP" ? error : "+OK"));
  expect(await sendAlone([5_000], "BLPOP q 5")).toEqual([error]);
  expect(received.filter((text) => text.startsWith("BLPOP"))).toHaveLength(1);
});

test("a command that waits for its server fails at once as unsent when the gateway closes", async () => {
  // Longer than a test may take.
  start(() => "+OK", { isUp: () => false, timeout: 60_000 });
  const waiting = sendAlone([0], "WAIT 0 0");
  await new Promise((resolve) => setTimeout(resolve, 50));
  upstream.close();
  const [result] = await waiting;
  expect(result).toBeInstanceOf(UpstreamFailure);
  expect((result as UpstreamFailure).outcome).toBe("unsent");
});

test("a connection that waits for its next attempt connects at once when there is another primary", async () => {
  let attempts = 0;
  let isUp = false;
  const { changed } = start(() => "+OK", {
    isUp: () => {
      attempts++;
      return isUp;
    },
    timeout: 5_000,
  });
  const result = send("SET a 1");
  // The pauses between attempts have grown to more than 200 ms.
  await expect.poll(() => attempts).toBeGreaterThanOrEqual(5);
  await new Promise((resolve) => setImmediate(resolve));
  isUp = true;
  const before = attempts;
  changed();
  expect(attempts).toBe(before + 1);
  expect(await result).toEqual(["+OK"]);
});

test("replies that wait for an earlier command count in the budget, and reads that do not fit are sent again", async () => {
  const budget = new BufferBudget(50_000);
  let refusals = 0;
  const used: number[] = [];
  const reply = ([name]: readonly string[]) => {
    if (name === "GET") return `$20000\r\n${"x".repeat(20_000)}`;
    if (refusals === 2) return "+OK";
    refusals++;
    setTimeout(() => used.push(budget.used), 50);
    return READONLY;
  };
  start(reply, { budget });
  const [written, ...read] = await send("SET a 1", "GET a", "GET b", "GET c");
  expect([written, read.map((each) => String(each).length)]).toEqual(["+OK", [20_008, 20_008, 20_008]]);
  expect(used).toEqual([40_020, 40_020]);
  expect(budget.used).toBe(0);
});
