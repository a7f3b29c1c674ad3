import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { Scripts } from "../../../../gateway/src/redis/cluster/scripts.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { FakeCluster } from "./fake-cluster.js";

const digestOf = (script: string) => createHash("sha1").update(script).digest("hex");

describe("the scripts that are remembered", () => {
  const scripts = () => new Scripts();

  test("the script cache has scripts of EVAL, EVAL_RO and SCRIPT LOAD, whatever their bytes", () => {
    const all = scripts();
    all.note(command("eval", "é\r\n$1", "0"));
    all.note(command("EVAL_RO", "b", "0"));
    all.note(command("script", "load", "c"));
    all.note(command("SCRIPT", "EXISTS", "d"));
    const text = (script: string, name = "EVALSHA") =>
      all.withText(command(name, digestOf(script).toUpperCase(), "1", "k", "v"))?.bytes.toString();
    expect(text("é\r\n$1")).toBe(command("EVAL", "é\r\n$1", "1", "k", "v").bytes.toString());
    expect(text("b", "EVALSHA_RO")).toBe(command("EVAL_RO", "b", "1", "k", "v").bytes.toString());
    expect(text("c")).toBeDefined();
    expect(text("d")).toBeUndefined();
    all.note(command("SCRIPT", "FLUSH", "ASYNC"));
    expect(text("b")).toBeUndefined();
  });

  test.each([
    ["a thousand", 1_000, (i: number) => `return ${i}`],
    ["four megabytes", 40, (i: number) => `return ${i}`.padEnd(100_000)],
  ])("the script cache has at most %s, and keeps recently used scripts", (_what, most, script) => {
    const all = scripts();
    const knows = (i: number) => all.withText(command("EVALSHA", digestOf(script(i)), "0")) !== null;
    for (let i = 0; i < most; i++) all.note(command("EVAL", script(i), "0"));
    expect(knows(0)).toBe(true);
    for (let i = most; i < most + 10; i++) all.note(command("EVAL", script(i), "0"));
    expect(knows(0)).toBe(true);
    expect(knows(1)).toBe(false);
    expect(knows(most + 9)).toBe(true);
  });
});

describe("EVALSHA at a node that lacks the script", () => {
  const script = "return-1";
  const digest = digestOf(script);
  let fake: FakeCluster;
  afterEach(() => fake.close());
  /** Nodes that have a script only once they have run it. */
  function start(): void {
    const known = new Set<string>();
    fake = new FakeCluster((node, [name]) => {
      if (name === "EVAL") known.add(node);
      return name === "EVALSHA" && !known.has(node) ? "-NOSCRIPT No matching script." : `+${name}`;
    });
  }

  test("EVALSHA at a node without the script is sent as EVAL, if the text is cached", async () => {
    start();
    expect(await fake.send(`EVALSHA ${digest} 1 foo`)).toEqual(["-NOSCRIPT No matching script."]);
    expect(await fake.send(`EVAL ${script} 1 bar`)).toEqual(["+EVAL"]);
    expect(await fake.send(`EVALSHA ${digest} 1 foo x`)).toEqual(["+EVAL"]);
    expect(fake.received.at(-1)).toBe(`b: EVAL ${script} 1 foo x`);
    expect(await fake.send(`EVALSHA ${digest} 1 foo`)).toEqual(["+EVALSHA"]);
  });

  test("EVALSHA sent as EVAL keeps its order in a pipeline, or fails with NOSCRIPT if a later command has run", async () => {
    start();
    await fake.send(`EVAL ${script} 1 bar`);
    const both = await fake.send(`EVALSHA ${digest} 1 foo 1`, `EVALSHA ${digest} 1 foo 2`);
    expect(both).toEqual(["+EVAL", "+EVAL"]);
    expect(fake.received.slice(-2)).toEqual([`b: EVAL ${script} 1 foo 1`, `b: EVAL ${script} 1 foo 2`]);
    fake.close();
    start();
    await fake.send(`EVAL ${script} 1 bar`);
    expect(await fake.send(`EVALSHA ${digest} 1 foo`, "SET foo x")).toEqual([
      "-NOSCRIPT No matching script.",
      "+SET",
    ]);
    expect(fake.received.filter((text) => text.startsWith("b: EVAL "))).toEqual([]);
  });
});
