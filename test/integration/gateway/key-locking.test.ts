import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "./engines.js";
import { call, run } from "./http.js";

// Scripts as Upstash's packages send them, with a flag that only Upstash's server supports.

const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");

const scripts = [
  ["allow-key-locking", "#!lua flags=allow-key-locking\nreturn redis.call('INCRBY', KEYS[1], ARGV[1])"],
  ["no-cluster too", "#!lua flags=no-cluster,allow-key-locking\nreturn {KEYS[1], ARGV[1], 'é'}"],
] as const;

describeEngines("scripts with flags", ({ name, start }) => {
  // The embedded engine does not support other flags.
  const hasFlags = name !== "the embedded engine";
  const gateway = sharedByTests(() => start());

  const post = async (path: string, body: unknown[]) => (await call(gateway, path, { body })).json;

  test.each(scripts.slice(0, hasFlags ? 2 : 1))("a script runs with flags: %s", async (_, script) => {
    const digest = sha1(script);
    const args = [1, "key", 5];
    expect(await post("/", ["EVALSHA", digest, ...args])).toEqual({
      error: expect.stringMatching(/^NOSCRIPT/),
    });
    expect(await post("/", ["SCRIPT", "EXISTS", digest])).toEqual({ result: [0] });
    const first = await post("/", ["EVAL", script, ...args]);
    expect(first).toHaveProperty("result");
    expect(await post("/", ["EVALSHA", digest, ...args])).toHaveProperty("result");
    expect(await post("/", ["EVALSHA", digest.toUpperCase(), ...args])).toHaveProperty("result");
    expect(await post("/", ["SCRIPT", "EXISTS", digest])).toEqual({ result: [1] });
    for (const path of ["/pipeline", "/multi-exec"]) {
      expect(
        await post(path, [
          ["EVALSHA", digest, ...args],
          ["EVAL", script, ...args],
        ]),
      ).toEqual([{ result: expect.anything() }, { result: expect.anything() }]);
    }
    const { result: loaded } = (await post("/", ["SCRIPT", "LOAD", script])) as { result: string };
    expect(await post("/", ["EVALSHA", loaded, ...args])).toHaveProperty("result");
  });

  test("an unknown script flag is refused", async () => {
    const { error } = (await post("/", ["EVAL", "#!lua flags=no-such-flag\nreturn 1", 0])) as {
      error: string;
    };
    expect(error).toMatch(hasFlags ? /flag/ : /^ERR/);
    expect(await run(gateway, "EVAL", "return '#!lua flags=allow-key-locking'", "0")).toEqual(
      "#!lua flags=allow-key-locking",
    );
  });
});
