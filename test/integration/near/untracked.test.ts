import fs from "node:fs";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type TracedCommand,
} from "../../../gateway/src/index.js";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { Redis } from "../../../src/index.js";
import { near } from "../../../src/near.js";
import { startRedis } from "../../../testbed/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { call } from "../gateway/http.js";

/** The gateway's delay in ms until the next try after a refusal, and the one of these tests. */
const REFUSED_DELAY = 60_000;
const SHORT_DELAY = 5;
const MAX_STALE = 60_000;

/** The time by which the clocks of this process are ahead, in ms. */
let ahead = 0;
const monotonic = process.hrtime.bigint;
const wall = Date.now;
process.hrtime.bigint = () => monotonic() + BigInt(ahead * 1e6);
Date.now = () => wall() + ahead;
afterAll(() => {
  Date.now = wall;
  process.hrtime.bigint = monotonic;
});

/** The commands that reached the store, such as `GET near:a`. */
let sent: string[] = [];
afterEach(() => {
  sent = [];
  vi.restoreAllMocks();
});

async function start(options: GatewayOptions): Promise<Gateway> {
  const onCommand = ({ name, keys }: TracedCommand) => sent.push([name, ...keys].join(" "));
  const common = { port: 0, token: "main", nearPrefix: ["near:"], onCommand };
  return forTest(await createGateway({ ...common, logLevel: "warn", ...options }));
}

/** `redis` uses fetch, which sends no read again because its response is late: the tests count its commands. */
function clients({ url }: Gateway): { redis: FetchRedis; other: Redis } {
  const options = { url, token: "main" };
  const redis = new FetchRedis({ ...options, near: near({ match: "near:*", maxStale: MAX_STALE }) });
  return { redis, other: new Redis(options) };
}

/** Keeps the lines that are written to stderr from now on. */
function captureLog(): string[] {
  const lines: string[] = [];
  const write = fs.writeSync;
  vi.spyOn(fs, "writeSync").mockImplementation(((fd: number, ...rest: [never]) => {
    if (fd !== 2) return write(fd, ...rest);
    const text = String(rest[0]);
    lines.push(...text.trimEnd().split("\n"));
    return Buffer.byteLength(text);
  }) as typeof fs.writeSync);
  return lines;
}

describe("a store that does not track changes", () => {
  const embedded = async (): Promise<GatewayOptions> => ({ engine: "embedded" });
  const withoutHello = async (): Promise<GatewayOptions> => {
    const server = forTest(await startRedis({ flags: ["--rename-command", "HELLO", ""] }));
    return { redis: server.url };
  };

  describe.each([
    ["the embedded engine", embedded, []],
    ["a Redis without HELLO", withoutHello, ["redis-server"]],
  ])("%s", (_what, options, tags) => {
    test("reports are off, and the log has one line, after further tries too", { tags }, async () => {
      const original = setTimeout;
      let refusals = 0;
      vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) => {
        if (ms !== REFUSED_DELAY) return original(run, ms);
        refusals++;
        return original(run, SHORT_DELAY);
      }) as typeof setTimeout);
      const lines = captureLog();
      const untracked = await start(await options());
      await expect.poll(() => refusals, { interval: 5 }).toBeGreaterThan(2);
      for (const given of ["none", "verify"]) {
        const { headers } = await call(untracked, "/", {
          body: ["PING"],
          headers: { "Warmline-Near": given },
        });
        expect(headers["warmline-near"]).toBe("off");
      }
      const warnings = lines.map((line) => JSON.parse(line).msg as string);
      expect(warnings).toEqual([
        expect.stringMatching(
          /^changes of keys can't be tracked, so near caches go by time alone: it replied .*\b(HELLO|TRACKING)\b/,
        ),
      ]);
    });

    test("replies are kept by time alone, and a read that verifies is sent", { tags }, async () => {
      const { redis, other } = clients(await start({ ...(await options()), logLevel: "silent" }));
      await other.set("near:a", 1);
      expect(await redis.get("near:a")).toBe(1);
      await other.set("near:a", 2);
      await redis.get("other");
      ahead += MAX_STALE / 2;
      expect(await redis.get("near:a")).toBe(1);
      ahead += MAX_STALE / 2;
      sent = [];
      expect(await redis.get("near:a")).toBe(2);
      await other.set("near:a", 3);
      expect(await redis.with({ near: "verify" }).get("near:a")).toBe(3);
      expect(sent.filter((each) => each !== "PING")).toEqual(["GET near:a", "SET near:a", "GET near:a"]);
    });
  });

  test("JSON.GET is answered from memory, with a new copy of the value, until its time has passed or it is written", async () => {
    const { redis, other } = clients(await start({ ...(await embedded()), logLevel: "silent" }));
    await other.json.set("near:doc", "$", { n: 1, list: [1] });
    const read = () => redis.json.get<{ n: number }[]>("near:doc", "$");
    const [first] = (await read())!;
    first!.n = 99;
    await other.json.set("near:doc", "$.n", 2);
    sent = [];
    expect(await read()).toEqual([{ n: 1, list: [1] }]);
    expect(sent).toEqual([]);
    expect(await redis.json.get("near:doc", "$.n")).toEqual([2]);
    await redis.json.numincrby("near:doc", "$.n", 1);
    expect(await read()).toEqual([{ n: 3, list: [1] }]);
    await other.json.del("near:doc");
    ahead += MAX_STALE;
    expect(await read()).toBeNull();
  });
});
