import { beforeEach, describe, expect, test } from "vitest";
import type { Gateway } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { describeEngines, embeddedEngine } from "../gateway/engines.js";
import { call, metric, run } from "../gateway/http.js";
import { dataOf, type ListenOptions, listen, listenForTest } from "./listen.js";

// The route /follow/<key>: the entries of a stream as server-sent events.

describeEngines("followed streams", (setup) => {
  let gateway: Gateway;
  const begin = async (options?: object) => {
    gateway = await setup.start(options);
  };
  const add = (id: string, ...fields: string[]) => run(gateway, "XADD", "log", id, ...fields);
  beforeEach(() => begin());
  const hear = (path: string, options?: ListenOptions) => listenForTest(gateway, path, options);

  test("a follower gets the entries that are there, then each new one", async () => {
    await add("1-1", "a", "1", "b", "two\nlines");
    await add("2-1", "a", "2");
    const stream = await hear("/follow/log");
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    await dataOf(stream, 3);
    await add("3-0", "a", "é");
    await dataOf(stream, 4);
    expect(stream.text).toBe(
      `event: follow\nid: 0-0\ndata: 0-0\n\n${[
        'id: 1-1\ndata: ["a","1","b","two\\nlines"]\n\n',
        'id: 2-1\ndata: ["a","2"]\n\n',
        'id: 3-0\ndata: ["a","é"]\n\n',
      ].join("")}`,
    );
  });

  test("a follower of a key that does not exist waits for its first entry", async () => {
    const stream = await hear("/follow/log", { method: "GET" });
    await dataOf(stream, 1);
    await add("1-1", "a", "1");
    expect(await dataOf(stream, 2)).toEqual(["0-0", '["a","1"]']);
  });

  test("a follower begins after the id of Last-Event-ID or from, at the end, or at the first entry", async () => {
    for (const id of ["1-1", "2-1", "3-1"]) await add(id, "n", id);
    const data = async (path: string, headers?: Record<string, string>) => {
      const stream = await hear(path, headers && { headers });
      await dataOf(stream, 1);
      return stream;
    };
    const resumed = await data("/follow/log?from=1-1", { "last-event-id": "2-1" });
    const after = await data("/follow/log?from=2");
    const news = await data("/follow/log?from=%24");
    await add("4-1", "n", "4-1");
    expect(await dataOf(resumed, 3)).toEqual(["2-1", '["n","3-1"]', '["n","4-1"]']);
    expect(await dataOf(after, 4)).toEqual(["2-0", '["n","2-1"]', '["n","3-1"]', '["n","4-1"]']);
    expect(await dataOf(news, 2)).toEqual(["3-1", '["n","4-1"]']);
    await run(gateway, "XTRIM", "log", "MAXLEN", "2");
    expect(await dataOf(await data("/follow/log?from=-"), 3)).toEqual(["-", '["n","3-1"]', '["n","4-1"]']);
  });

  test("a query parameter that the route does not have is refused by name", async () => {
    const stream = await hear("/follow/log?_token=t&form=1-1");
    expect(stream.status).toBe(400);
    await expect
      .poll(() => stream.text)
      .toContain("ERR unknown query parameter form: /follow takes from and _token");
  });

  test("followers of one key share one connection to Redis", async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => hear("/follow/log")));
    await Promise.all(streams.map((stream) => dataOf(stream, 1)));
    for (let n = 1; n <= 50; n++) await add(`${n}-1`, "n", String(n));
    for (const stream of streams) {
      const data = await dataOf(stream, 51);
      expect(data.slice(1)).toEqual(Array.from({ length: 50 }, (_, n) => `["n","${n + 1}"]`));
    }
    // Between two waits there is none.
    await expect.poll(() => metric(gateway, 'upstream_connections{use="blocking"}')).toBe(1);
  });

  test("a follower far behind catches up in pages while entries are added", async () => {
    const body = Array.from({ length: 950 }, (_, n) => ["XADD", "log", `${n + 1}-1`, "n", String(n + 1)]);
    await call(gateway, "/pipeline", { body });
    const stream = await hear("/follow/log");
    for (let n = 951; n <= 1_000; n++) await add(`${n}-1`, "n", String(n));
    const data = await dataOf(stream, 1_001);
    expect(data.slice(1)).toEqual(Array.from({ length: 1_000 }, (_, n) => `["n","${n + 1}"]`));
  });

  test("an id whose following entries were trimmed is refused with GAP", async () => {
    for (let n = 1; n <= 5; n++) await add(`${n}-1`, "n", String(n));
    await run(gateway, "XTRIM", "log", "MAXLEN", "2");
    for (const from of ["0-0", "1-1", "2-1"]) {
      const { status, json } = await call(gateway, `/follow/log?from=${from}`, {
        method: "POST",
        body: "",
      });
      expect(status).toBe(400);
      expect(json.error).toBe(`GAP entries after ${from} were trimmed or deleted; the stream begins at 4-1`);
    }
    expect(await dataOf(await hear("/follow/log?from=4-1"), 2)).toEqual(["4-1", '["n","5"]']);
    await run(gateway, "DEL", "log");
    const { json } = await call(gateway, "/follow/log?from=5-1", { method: "POST", body: "" });
    expect(json.error).toBe("GAP entries after 5-1 were trimmed or deleted; the stream has no entries");
  });

  test("a stream that ends is no gap for the follower of its last entry", async () => {
    await add("5-1", "n", "5");
    await run(gateway, "XTRIM", "log", "MAXLEN", "0");
    const stream = await hear("/follow/log?from=5-1");
    await dataOf(stream, 1);
    await add("6-1", "n", "6");
    expect(await dataOf(stream, 2)).toEqual(["5-1", '["n","6"]']);
  });

  test("a key of another type and an invalid id are refused", async () => {
    await run(gateway, "SET", "text", "x");
    const wrong = await call(gateway, "/follow/text", { method: "POST", body: "" });
    expect([wrong.status, wrong.json.error]).toEqual([400, expect.stringMatching(/^WRONGTYPE/)]);
    const bad = await call(gateway, "/follow/log?from=x", { method: "POST", body: "" });
    expect(bad.json.error).toBe(
      "ERR from and Last-Event-ID must be the id of an entry, such as 1526919030474-0, or - or $",
    );
  });

  test("keys and values may be any bytes", async () => {
    await call(gateway, "/xadd/a%2F%FF/1-1/f%FE/%00%0A", { method: "POST" });
    const stream = await hear("/follow/a%2F%FF");
    await dataOf(stream, 2);
    const exact = [Buffer.from([0x66, 0xfe]), Buffer.from([0, 10])].map((each) => each.toString("base64"));
    expect(stream.text).toContain(`id: 1-1\nexact: ${exact.join()}\ndata: ["f\ufffd","\\u0000\\n"]\n\n`);
  });
});

describe("followed streams with limits", () => {
  test("a token follows only the keys of its prefix", async () => {
    const tokens = [{ token: "t".repeat(32), name: "app", prefix: "app:" }];
    const gateway = forTest(await embeddedEngine.start({ tokens } as object));
    const token = tokens[0]!.token;
    const refused = await listen(gateway, "/follow/log", { token });
    expect(refused.status).toBe(400);
    await expect.poll(() => refused.text).toContain("NOPERM");
    const stream = await listen(gateway, "/follow/app:log", { token });
    expect(await dataOf(stream, 1)).toEqual(["0-0"]);
    stream.close();
  });

  test("streams beyond half of a token's share of the connections for blocking commands are read at intervals", async () => {
    const tokens = [{ token: "other", name: "other" }];
    const gateway = forTest(
      await embeddedEngine.start({
        maxBlockingConnections: 4,
        tokens,
        token: "main",
      }),
    );
    const streams = await Promise.all(["a", "b", "c"].map((key) => listen(gateway, `/follow/${key}`)));
    for (const stream of streams) await dataOf(stream, 1);
    for (const key of ["a", "b", "c"]) await run(gateway, "XADD", key, "1-1", "n", key);
    for (const stream of streams) expect(await dataOf(stream, 2)).toHaveLength(2);
    // Between two waits there is none.
    await expect.poll(() => metric(gateway, 'upstream_connections{use="blocking"}')).toBe(1);
    for (const stream of streams) stream.close();
  });

  test("entries that are added and trimmed in one step end the stream, and single ones do not", async () => {
    const gateway = forTest(await embeddedEngine.start());
    const stream = await listen(gateway, "/follow/log");
    await dataOf(stream, 1);
    const add = (n: number) => ["XADD", "log", "MAXLEN", "1", `${n}-1`, "n", String(n)];
    for (let n = 1; n <= 20; n++) {
      await run(gateway, ...add(n));
      await dataOf(stream, n + 1);
    }
    await call(gateway, "/multi-exec", { body: [add(21), add(22)] });
    await expect.poll(() => stream.over).toBe("end");
    expect(stream.data).toHaveLength(22);
    expect(stream.data.at(-1)).toMatch(/^GAP entries after 20-1 .* begins at 22-1$/);
    const { json } = await call(gateway, "/follow/log?from=20-1", { method: "POST", body: "" });
    expect(json.error).toMatch(/^GAP entries after 20-1 .* begins at 22-1$/);
  });
});
