import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allCommandInfo, type CommandInfo } from "../../../gateway/src/commands/command-info.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { RespReader } from "../../../gateway/src/resp/reader.js";
import { beforeTests } from "../../support/lifetime.js";
import { SEED, scaled } from "../../support/random-tests.js";
import { type StartedServer, startServer } from "../../support/start-server.js";
import { inScript } from "./attack.js";
import { call } from "./http.js";

// The time that the gateway needs for a command is linear in the number of arguments: it visits none of them often.

/** Arguments of each command. */
const ARGS = 200;
/** Visits of one argument, on average, that a command may cost. A check, a split and a trace each take one or two. */
const MAX_VISITS = 8;

/** A Redis that replies 1 to everything. As a cluster, it is two nodes. */
function startFakeRedis(isCluster: boolean): Promise<StartedServer> {
  const replyTo = (name: string, port: number) => {
    if (name === "PING") return "+PONG\r\n";
    if (name === "INFO") return isCluster ? "$17\r\ncluster_enabled:1\r\n" : "$17\r\ncluster_enabled:0\r\n";
    if (name !== "CLUSTER") return ":1\r\n";
    const node = (first: number, last: number, host: string) =>
      `*3\r\n:${first}\r\n:${last}\r\n*2\r\n$${host.length}\r\n${host}\r\n:${port}\r\n`;
    return `*2\r\n${node(0, 8_191, "127.0.0.1")}${node(8_192, 16_383, "localhost")}`;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    let rest = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\r\n");
      // No argument has a line break, so a command takes two lines for each, after its first line.
      let at = 0;
      for (;;) {
        const end = at + 1 + 2 * Number(lines[at]?.slice(1) || Number.NaN);
        if (!(end < lines.length)) break;
        socket.write(replyTo(lines[at + 2]!.toUpperCase(), socket.localPort!));
        at = end;
      }
      rest = lines.slice(at).join("\r\n");
    });
  });
  return startServer(server);
}

/** Calls of a command with many arguments, well-formed and not. */
function callsOf({ name, keys }: CommandInfo): string[][] {
  const words = name.split(" ");
  const fill = (made: readonly string[], prefix = "p:") => [
    ...made,
    ...Array.from({ length: ARGS - made.length }, (_, at) => `${prefix}${at}`),
  ];
  const calls = [fill(words), fill(words, "")];
  for (const [, at, first, step] of keys.matchAll(/#(\d+)@(\d+)(?:\/(\d+))?/g)) {
    const counted = fill(words);
    counted[Number(at)] = String(Math.floor((ARGS - Number(first)) / Number(step ?? 1)));
    calls.push(counted);
  }
  if (keys === "streams") {
    calls.push(
      fill([...words, "COUNT", "1", "STREAMS"]),
      fill([...words, "GROUP", "g", "c", "STREAMS", "p:1"]),
    );
    calls.push(fill([...words, ...Array(40).fill(["COUNT", "1"]).flat(), "BLOCK", "1", "STREAMS", "p:1"]));
  }
  if (keys === "sort")
    calls.push([
      ...words,
      "p:1",
      ...Array(ARGS / 2)
        .fill(["GET", "p:*"])
        .flat(),
    ]);
  if (keys === "migrate") calls.push(fill([...words, "h", "1", "", "0", "1", "KEYS"]));
  if (name === "MGET" || name === "MSET") {
    calls.push(inScript(fill(words)).map((arg, at) => (at === 3 ? "p:1" : arg)));
  }
  return calls;
}

const every = [...allCommandInfo()].flatMap(callsOf);
const count = scaled(every.length);
/** A part of them, at equal distances, from one that the seed determines. */
const calls = every.filter((_, at) => ((at + SEED) * count) % every.length < count);
const ordinary = every.filter(([name]) =>
  /^(MGET|MSET|DEL|XREAD|SORT|SORT_RO|EVAL|BLPOP|ZUNION|SCAN)$/.test(name!),
);

const modes: Record<string, { options?: (url: string) => GatewayOptions; token?: string; cluster?: true }> = {
  "a plain gateway": {},
  "a cluster": { cluster: true },
  "traced commands": { options: () => ({ onCommand: () => {} }) },
  "an open console": { options: () => ({ console: true }) },
  "a token with a prefix": { token: "prefix" },
  "a token that reads": { token: "reads" },
};

let visits = 0;
const { nextLength } = RespReader.prototype;
beforeAll(() => {
  RespReader.prototype.nextLength = function () {
    visits++;
    return nextLength.call(this);
  };
});
afterAll(() => {
  RespReader.prototype.nextLength = nextLength;
});

describe.each(Object.entries(modes))("with %s", (title, { options, token = "all", cluster = false }) => {
  let gateway: Gateway;
  beforeTests(async (shared) => {
    const redis = shared(await startFakeRedis(cluster));
    const url = `redis://127.0.0.1:${redis.port}`;
    const tokens = [
      { name: "all", token: "all" },
      { name: "prefix", token: "prefix", prefix: "p:" },
      { name: "reads", token: "reads", role: "read-only" },
    ] as const;
    gateway = shared(await createGateway({ redis: url, port: 0, tokens, ...options?.(url) }));
    if (title !== "an open console") return;
    const headers = { authorization: "Bearer all" };
    const { body } = await fetch(`${gateway.url}/console/commands`, { headers });
    shared({ close: () => body!.cancel() });
  });

  test("no argument of a command is visited often", async () => {
    const often: string[] = [];
    for (const args of new Set([...ordinary, ...calls])) {
      visits = 0;
      await call(gateway, "/", { body: args, token });
      if (visits > MAX_VISITS * args.length) often.push(`${args.slice(0, 3).join(" ")} ...: ${visits}`);
    }
    expect(often).toEqual([]);
  });
});
