import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { type Reply, ReplyClient } from "../../support/differential/replies.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { SEED, scaled } from "../../support/random-tests.js";
import { argsOf, bulk, EXAMPLES, json, NULL, WRONGTYPE } from "./json-examples.js";

const engine = sharedByTests(() => startEmbeddedEngine());
const client = sharedByTests(async () => new ReplyClient(engine.connect()));

test.each(Object.entries(EXAMPLES))("replies are as of RedisJSON: %s", async (_, { document, steps }) => {
  const commands = steps.map(([command]) => argsOf(command));
  const setup = [["FLUSHALL"], ["JSON.SET", "d", "$", JSON.stringify(document)]];
  const replies = (await client.run([...setup, ...commands])).slice(setup.length);
  expect(steps.map(([command], index) => [command, replies[index]])).toEqual(steps);
});

/** Runs commands, whose arguments are separated by spaces, on an empty engine. */
async function run(...commands: string[]): Promise<Reply[]> {
  return (await client.run([["FLUSHALL"], ...commands.map((command) => command.split(" "))])).slice(1);
}

describe("a document is a value like others", () => {
  test("a document has a type of its own", async () => {
    expect(
      await run(
        'JSON.SET d $ {"a":1}',
        "SET s x",
        "TYPE d",
        "GET d",
        "LPUSH d 1",
        "JSON.GET s",
        "JSON.SET s $ 1",
        "SCAN 0 TYPE ReJSON-RL",
        "OBJECT ENCODING d",
        "EXISTS d s",
        "SET d x",
        "JSON.GET d",
      ),
    ).toEqual([
      "+OK",
      "+OK",
      "+ReJSON-RL",
      WRONGTYPE,
      WRONGTYPE,
      WRONGTYPE,
      WRONGTYPE,
      ["$0", ["$d"]],
      "$raw",
      ":2",
      "+OK",
      WRONGTYPE,
    ]);
  });

  test("a document keeps its time to live when it changes", async () => {
    const replies = await run(
      'JSON.SET d $ {"a":1}',
      "EXPIREAT d 4000000000",
      "JSON.NUMINCRBY d $.a 1",
      "JSON.SET d $.b 1",
      "EXPIRETIME d",
      "PERSIST d",
      "EXPIRETIME d",
      "PEXPIREAT d 1",
      "JSON.GET d",
    );
    expect(replies.slice(4)).toEqual([":4000000000", ":1", ":-1", ":1", NULL]);
  });

  test("a change of a document changes no copy of it, and no other place in it", async () => {
    const replies = await run(
      'JSON.SET d $ {"a":{"n":1},"l":[1],"__proto__":{"n":1}}',
      "JSON.SET d $.a.n 2",
      "JSON.ARRAPPEND d $.l 2",
      "COPY d e",
      "JSON.SET d $.a.n 3",
      "JSON.ARRAPPEND d $.l 3",
      "JSON.NUMINCRBY e $.a.n 10",
      "JSON.ARRPOP e $.l 0",
      "JSON.SET d $.__proto__.n 4",
      "JSON.GET d",
      "JSON.GET e",
      'JSON.SET d $ {"a":0,"b":0}',
      'JSON.SET d $.* {"l":[1]}',
      "JSON.ARRAPPEND d $.a.l 2",
      "JSON.ARRINSERT d $.a.l 0 0",
      "JSON.GET d",
    );
    expect(replies[9]).toEqual(bulk('{"a":{"n":3},"l":[1,2,3],"__proto__":{"n":4}}'));
    expect(replies[10]).toEqual(bulk('{"a":{"n":12},"l":[2],"__proto__":{"n":1}}'));
    expect(replies[15]).toEqual(json({ a: { l: [0, 1, 2] }, b: { l: [1] } }));
  });

  test("a command that fails for one of its values changes none", async () => {
    const document = { a: { n: 2, l: [1, 2] }, b: { n: 1e308, l: [] } };
    const replies = await run(
      `JSON.SET d $ ${JSON.stringify(document)}`,
      "JSON.NUMMULTBY d $..n 3",
      "JSON.NUMMULTBY d $.b.n 3",
      "JSON.ARRINSERT d $..l 1 0",
      "JSON.MSET d $.a 1 d $.b {",
      "JSON.GET d",
    );
    expect(replies.map((reply) => String(reply).startsWith("-"))).toEqual([
      false,
      ...Array(4).fill(true),
      false,
    ]);
    expect(replies[5]).toEqual(json(document));
  });

  test("a document can be renamed, moved, copied and flushed", async () => {
    const replies = await run(
      'JSON.SET d $ {"a":"\u00c3\u00a9"}',
      "EXPIREAT d 4000000000",
      "RENAME d e",
      "COPY e f",
      'JSON.SET e $.a "changed"',
      "JSON.GET f",
      "EXPIRETIME f",
      "MOVE f 1",
      "EXISTS f",
      "SELECT 1",
      "JSON.TYPE f",
      "DBSIZE",
      "FLUSHALL",
      "JSON.GET f",
      "SELECT 0",
    );
    expect(replies.slice(2)).toEqual([
      "+OK",
      ":1",
      "+OK",
      json({ a: "\u00c3\u00a9" }),
      ":4000000000",
      ":1",
      ":0",
      "+OK",
      "$object",
      ":1",
      "+OK",
      NULL,
      "+OK",
    ]);
  });

  test("a document works in transactions, under WATCH and in scripts", async () => {
    const other = forTest(new ReplyClient(engine.connect()));
    await run("JSON.SET d $ [1]", "WATCH d");
    await other.run([["JSON.ARRAPPEND", "d", "$", "2"]]);
    expect(await client.run([["MULTI"], ["JSON.ARRAPPEND", "d", "$", "3"], ["EXEC"]])).toEqual([
      "+OK",
      "+QUEUED",
      "*-1",
    ]);
    expect(
      await client.run([["MULTI"], ["JSON.ARRAPPEND", "d", "$", "3"], ["JSON.GET", "d"], ["EXEC"]]),
    ).toEqual(["+OK", "+QUEUED", "+QUEUED", [[":3"], "$[1,2,3]"]]);
    const script = "redis.call('JSON.SET', KEYS[1], '$[0]', ARGV[1]) return redis.call('JSON.GET', KEYS[1])";
    expect(await client.run([["EVAL", script, "1", "d", '"x"']])).toEqual(['$["x",2,3]']);
  });

  test("a document sends notifications, and its size counts", async () => {
    const replies = await run(
      "CONFIG SET notify-keyspace-events KEA",
      "JSON.SET d $ [1]",
      "MEMORY USAGE d",
      "CONFIG SET notify-keyspace-events ",
    );
    expect(replies[1]).toBe("+OK");
    expect(Number(String(replies[2]).slice(1))).toBeGreaterThan(0);
  });
});

test("documents nested deeper than 128 are refused", async () => {
  const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const [fits, tooDeep, nested] = await run(
    `JSON.SET d $ ${deep(128)}`,
    `JSON.SET e $ ${deep(129)}`,
    `JSON.SET e $ ${"[".repeat(100_000)}`,
  );
  expect([fits, tooDeep, nested]).toEqual(["+OK", ...Array(2).fill("-ERR JSON is nested deeper than 128")]);
  const path = `$${"[0]".repeat(127)}`;
  expect(await client.run([["JSON.ARRAPPEND", "d", path, deep(128)]])).toEqual([[":1"]]);
  expect(await client.run([["JSON.ARRAPPEND", "d", `${path}[0][0]`, "1"]])).toEqual([
    "-ERR JSON is nested deeper than 128",
  ]);
});

test("a text beyond the limit is refused", { tags: "full-run" }, async () => {
  await client.run([
    ["JSON.SET", "d", "$", JSON.stringify(Array(1_000).fill(0))],
    ["JSON.SET", "d", "$[*]", JSON.stringify("x".repeat(300_000))],
  ]);
  expect(await client.run([["JSON.GET", "d"]])).toEqual([
    "-ERR JSON text would exceed 256 MB, the embedded engine's limit",
  ]);
  expect(await client.run([["JSON.ARRLEN", "d"]])).toEqual([":1000"]);
});

const RUNS = scaled(300);
const few = (...values: string[]) => fc.constantFrom(...values);
const path = few(
  ..."$ $.a $.b $.a.b $.l $.l[0] $.l[1] $.l[-1] $.a.l $.* $.new $.a.new $.l[*] $..b $..l . a.b l".split(" "),
);
const value = few("1", '"x"', "null", "true", "[1,2]", '{"b":1}', '{"a":{"b":2},"l":[3]}', "[]", "{}");
const int = few("0", "1", "-1", "2", "5", "-5");
/** Arguments of commands that change a document, after its key. */
const change = fc.oneof(
  fc.tuple(few("JSON.SET", "JSON.MERGE", "JSON.ARRAPPEND"), path, value),
  fc.tuple(few("JSON.ARRINSERT"), path, int, value, value),
  fc.tuple(few("JSON.ARRTRIM"), path, int, int),
  fc.tuple(few("JSON.ARRPOP", "JSON.NUMINCRBY"), path, int),
  fc.tuple(few("JSON.STRAPPEND"), path, few('"y"')),
  fc.tuple(few("JSON.DEL", "JSON.CLEAR", "JSON.TOGGLE"), path),
);

test(`${RUNS} documents change in place as documents that are read anew (seed ${SEED})`, {
  tags: "random",
}, async () => {
  const property = fc.asyncProperty(fc.array(change, { maxLength: 20, size: "max" }), async (changes) => {
    const document = '{"a":{"b":1,"l":[1,2,3]},"b":2,"l":[1,[2],{"b":3}],"s":"x","t":true}';
    await client.run([["FLUSHALL"], ["JSON.SET", "d", "$", document]]);
    for (const [name, ...args] of changes) {
      await client.run([["COPY", "d", "copy", "REPLACE"]]);
      const [text] = (await client.run([["JSON.GET", "d"]])) as [string];
      if (text !== NULL) await client.run([["JSON.SET", "new", "$", text.slice(1)]]);
      const read = ["d", "new", "copy"].map((key) => ["JSON.GET", key]);
      const commands = [[name, "d", ...args], [name, "new", ...args], ...read];
      const [reply, replyOfNew, changed, changedNew, copy] = await client.run(commands);
      expect([reply, changed, copy]).toEqual([replyOfNew, changedNew, text]);
      if (text === NULL || changed === NULL) break;
    }
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
});
