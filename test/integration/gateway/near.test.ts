import { describe, expect, test } from "vitest";
import { slotOf } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { startRedis } from "../../../testbed/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { call } from "./http.js";

/** The header of a response to a near cache, taken apart. */
interface Report {
  readonly epoch: string;
  readonly state: string;
  readonly age: number;
  /** Buckets, `*` for all, or the prefixes after `new`. */
  readonly changes: string;
  readonly result: any;
}

async function ask(gateway: Gateway, given: string, command = ["PING"], token?: string): Promise<Report> {
  const headers = { "Warmline-Near": given };
  const { headers: sent, json } = await call(gateway, "/", {
    body: command,
    headers,
    ...(token && { token }),
  });
  const [state = "", age, changes = "", prefixes] = String(sent["warmline-near"]).split(" ");
  const epoch = state.split(":")[0]!;
  return {
    epoch,
    state,
    age: Number(age),
    changes: prefixes ?? changes.replace("-", ""),
    result: json.result,
  };
}

const bucket = (key: string) => slotOf(Buffer.from(key)).toString(36);
const listed = ({ changes }: Report) => changes.split(",").filter(Boolean);

describe("reports of changes to near caches", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis());

  async function start(options: GatewayOptions = {}): Promise<Gateway> {
    const gateway = forTest(
      await createGateway({
        port: 0,
        redis: server.url,
        token: "main",
        logLevel: "silent",
        nearPrefix: ["near:", "flag:é"],
        ...options,
      }),
    );
    return gateway;
  }

  /** The first report of a gateway that tracks changes. */
  async function first(gateway: Gateway): Promise<Report> {
    for (;;) {
      const report = await ask(gateway, "none");
      if (report.epoch !== "off") return report;
    }
  }

  test("responses have the header only with nearPrefix, and only if the request has it", async () => {
    const plain = await start({ nearPrefix: [] });
    const { headers } = await call(plain, "/", { body: ["PING"], headers: { "Warmline-Near": "none" } });
    expect(headers["warmline-near"]).toBeUndefined();
    const tracking = await start();
    await first(tracking);
    expect((await call(tracking, "/", { body: ["PING"] })).headers["warmline-near"]).toBeUndefined();
  });

  test("the first report names the prefixes, a later one the buckets that any client has changed since", async () => {
    const gateway = await start();
    const { state, changes } = await first(gateway);
    expect(changes).toBe("near%3A,flag%3A%C3%A9");
    await server.command("SET", "near:a", "1");
    await server.command("SET", "other", "1");
    await server.command(
      "EVAL",
      "redis.call('SET', KEYS[1], 1) redis.call('HSET', KEYS[2], 'f', 1)",
      2,
      "flag:é",
      "near:h",
    );
    const report = await ask(gateway, `verify, ${state}`);
    expect(new Set(listed(report))).toEqual(new Set(["near:a", "flag:é", "near:h"].map(bucket)));
    expect(report.age).toBe(0);
    expect(listed(await ask(gateway, report.state))).toEqual([]);
    await server.command("RENAME", "near:a", "near:b");
    const renamed = await ask(gateway, `verify, other:7, ${report.state}`);
    expect(new Set(listed(renamed))).toEqual(new Set(["near:a", "near:b"].map(bucket)));
    expect(new Set(listed(await ask(gateway, state)))).toEqual(
      new Set(["near:a", "flag:é", "near:h", "near:b"].map(bucket)),
    );
  });

  test("expiry is reported, and FLUSHALL as a change of every key in the same epoch", async () => {
    const gateway = await start();
    const { state, epoch } = await first(gateway);
    await server.command("SET", "near:short", "1", "PX", 2_000);
    const set = await ask(gateway, `verify,${state}`);
    expect(listed(set)).toEqual([bucket("near:short")]);
    await expect
      .poll(async () => listed(await ask(gateway, `verify,${set.state}`)))
      .toEqual([bucket("near:short")]);
    const { state: before } = await ask(gateway, `verify,${state}`);
    await server.command("FLUSHALL");
    const flushed = await ask(gateway, `verify,${before}`);
    expect(flushed.changes).toBe("*");
    expect(flushed.epoch).toBe(epoch);
    expect((await ask(gateway, `verify,${flushed.state}`)).changes).toBe("");
  });

  test("a Redis user that may not track changes gets no reports", async () => {
    await server.command("ACL", "SETUSER", "plain", "on", ">secret", "~*", "+@all", "-client");
    const gateway = await start({ redis: server.url.replace("unix://", "unix://plain:secret@") });
    for (let i = 0; i < 20; i++) expect((await ask(gateway, "verify", ["ECHO", "x"])).epoch).toBe("off");
    expect((await ask(gateway, "none", ["SET", "near:a", "1"])).result).toBe("OK");
  });

  test("a token with a prefix gets the tracked prefixes that concern its keys alone", async () => {
    const tokens = [
      { name: "within", token: "within", prefix: "near:users:" },
      { name: "around", token: "around", prefix: "f" },
      { name: "outside", token: "outside", prefix: "x:" },
    ];
    const gateway = await start({ tokens });
    await first(gateway);
    expect((await ask(gateway, "none", ["PING"], "within")).changes).toBe("near%3A");
    expect((await ask(gateway, "none", ["PING"], "around")).changes).toBe("flag%3A%C3%A9");
    expect((await ask(gateway, "none", ["PING"], "outside")).changes).toBe("new");
  });

  test("a token with a prefix learns nothing of keys outside it", async () => {
    const tokens = [{ name: "within", token: "within", prefix: "near:p:" }];
    const gateway = await start({ tokens });
    await first(gateway);
    const before = await ask(gateway, "verify", ["PING"], "within");
    await server.command("SET", "near:secret", "1");
    const none = await ask(gateway, `verify,${before.state}`, ["PING"], "within");
    expect([none.state, none.changes]).toEqual([before.state, ""]);
    await server.command("SET", "near:p:own", "1");
    const one = await ask(gateway, `verify,${none.state}`, ["PING"], "within");
    expect(listed(one)).toEqual([bucket("near:p:own")]);
    // A report of one token's keys says nothing about those of another token.
    expect((await ask(gateway, one.state)).changes).toMatch(/^near%3A/);
    await server.command("FLUSHALL");
    expect((await ask(gateway, `verify,${one.state}`, ["PING"], "within")).changes).toBe("*");
  });

  test("a request with a malformed header is served, and gets a first report", async () => {
    const gateway = await start();
    await first(gateway);
    for (const given of ["", ",,", "x", "a:b", `${"e".repeat(99)}:1`, "a:1".repeat(500), "é:1"]) {
      const report = await ask(gateway, given || " ");
      expect(report.result).toBe("PONG");
    }
  });

  test.each([
    [{ nearPrefix: ["a", "ab"] }, "nearPrefix: leave out entry 2, which begins with entry 1"],
    [{ nearPrefix: [""] }, "nearPrefix: must not be empty"],
    [
      { nearPrefix: ["a", "flag:*"] },
      "nearPrefix: entry 2 must not end with *: write the text that keys begin with, such as flag:",
    ],
    [{ nearPrefix: ["a\ud800"] }, "nearPrefix: must not have a lone surrogate"],
    [
      { nearPrefix: ["a"], readPolicy: "any" as const },
      "nearPrefix: needs readPolicy primary, since a replica",
    ],
  ])("settings that can't work are refused: %j", async (options, message) => {
    await expect(createGateway({ port: 0, redis: server.url, ...options })).rejects.toThrow(message);
  });
});
