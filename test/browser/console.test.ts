import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { Redis } from "warmline";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { forTest } from "../support/lifetime.js";
import { newFolder } from "../support/new-folder.js";
import { describeInBrowser } from "./support/browser.js";

describeInBrowser("the console page", (browser) => {
  let gateway: TestGateway;
  let redis: Redis;
  let context: BrowserContext;
  let page: Page;
  /** Errors and warnings of the browser, and the targets of the page's requests. */
  const complaints: string[] = [];
  const requested = new Set<string>();

  beforeEach(async () => {
    gateway = forTest(await startGateway({ console: true }));
    redis = new Redis({ url: gateway.url, token: gateway.token });
    context = forTest(await browser().newContext({ viewport: { width: 1100, height: 700 } }));
    page = await context.newPage();
    complaints.length = 0;
    requested.clear();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requested.add(new URL(request.url()).origin));
  });

  const open = () => page.goto(`${gateway.url}/#${gateway.token}`);
  /** The rows of keys, in their order: name, type, time to live. */
  const rows = async (): Promise<string[][]> => {
    const found = await page.locator("#rows .row").all();
    return Promise.all(found.map((row) => row.locator(":scope > *").allTextContents()));
  };
  const names = () => page.locator("#rows .row .name").allTextContents();
  const openKey = (name: string) =>
    page.locator("#rows .row .name", { hasText: new RegExp(`^${name}`) }).click();
  const view = () => page.locator("#key-view");
  const type = async (line: string) => {
    await page.fill("#line", line);
    await page.press("#line", "Enter");
  };
  const reply = () => page.locator("#log > div:not(.asked)").last();

  test("the console shows keys with types and times to live, and requests nothing from other origins", async () => {
    await redis.set("user:1", "Ada", { ex: 3000 });
    await redis.rpush("queue", "a", "b");
    await redis.hset("account", { name: "Ada" });
    await open();
    await page.getByText("3 keys", { exact: true }).waitFor();
    expect(await page.locator("#login").isVisible()).toBe(false);
    expect(await rows()).toEqual([
      ["account", "hash", ""],
      ["queue", "list", ""],
      ["user:1", "string", "50 min"],
    ]);
    await page.fill("#pattern", "user:*");
    await page.press("#pattern", "Enter");
    await page.getByText("1 key", { exact: true }).waitFor();
    await openKey("user:1");
    await expect.poll(() => view().locator("pre").textContent()).toBe("Ada");
    expect(await page.textContent("#engine")).toContain("embedded");
    expect([...requested]).toEqual([new URL(gateway.url).origin]);
    expect(complaints).toEqual([]);
  });

  test("the console removes the token from the address and keeps it for the tab", async () => {
    await open();
    await page.locator("#main").waitFor();
    expect(page.url()).toBe(`${gateway.url}/`);
    await page.reload();
    await page.locator("#main").waitFor();
    const other = await context.newPage();
    await other.goto(gateway.url);
    await other.locator("#login").waitFor();
    expect(await other.locator("#main").isVisible()).toBe(false);
  });

  test("the console requests a token, and again after a wrong one", async () => {
    await page.goto(gateway.url);
    await page.fill("#token", "wrong");
    await page.click("#login button");
    await page.getByText("rejected this token").waitFor();
    await page.fill("#token", gateway.token);
    await page.click("#login button");
    await page.locator("#main").waitFor();
    expect(await page.locator("#notice").isVisible()).toBe(false);
  });

  test("after the gateway's token has changed, the console takes the new one in the same tab", async () => {
    const tokenFile = join(newFolder("console"), "token");
    writeFileSync(tokenFile, "old-token");
    const rotated = forTest(await startGateway({ console: true, tokenFile }));
    await page.goto(`${rotated.url}/#old-token`);
    await page.locator("#main").waitFor();
    writeFileSync(tokenFile, "new-token");
    await page.getByText("rejected this token").waitFor();
    await page.fill("#token", "new-token");
    await page.click("#login button");
    await page.locator("#main").waitFor();
    // Counters that still had the old token would be rejected within a second, and the new one be forgotten.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await page.locator("#login").isVisible()).toBe(false);
    expect(await page.evaluate<number>("sessionStorage.length")).toBe(1);
  });

  test("the console runs a typed command and prints its reply as redis-cli does", async () => {
    await open();
    await page.locator("#main").waitFor();
    for (const [line, said] of [
      ['SET text "a \\"quoted\\" one"', "OK"],
      ["get text", '"a \\"quoted\\" one"'],
      ["GET missing", "(nil)"],
      ["INCRBY n 9007199254740993", "(integer) 9007199254740993"],
      ["LPUSH text x", "(error) WRONGTYPE Operation against a key holding the wrong kind of value"],
      ["RPUSH l 'x y' z", "(integer) 2"],
      ["LRANGE l 0 -1", '1) "x y"\n2) "z"'],
      ['SET bytes "\\xff\\x00"', "OK"],
      ["GET bytes", '"\\xff\\x00"'],
      ['GET "open', "a quote is not closed"],
      ["SUBSCRIBE c", /^\(error\) NOPERM/],
    ] as const) {
      await type(line);
      await expect.poll(() => page.locator("#log .asked").last().textContent()).toBe(`> ${line}`);
      await expect
        .poll(() => reply().textContent())
        .toEqual(said instanceof RegExp ? expect.stringMatching(said) : said);
    }
    expect([...(await redis.with({ codec: "bytes" }).get<Uint8Array>("bytes"))!]).toEqual([255, 0]);
    await page.press("#line", "ArrowUp");
    await page.press("#line", "ArrowUp");
    expect(await page.inputValue("#line")).toBe('GET "open');
  });

  test("Escape cancels a blocking command", async () => {
    await open();
    await page.locator("#main").waitFor();
    await type("BLPOP nothing 0");
    await page.getByText("> BLPOP nothing 0").waitFor();
    await page.press("#line", "Escape");
    await page.getByText("cancelled").waitFor();
    await type("PING");
    await expect.poll(() => reply().textContent()).toBe("PONG");
  });

  test("markup in a key, a value or an error is shown as text", async () => {
    const markup = '<img src=x onerror="document.title=\'taken\'"><script>document.title="taken"</script>';
    await redis.set(markup, markup);
    await open();
    await page.locator("#rows button").click();
    await expect.poll(() => view().locator("pre").textContent()).toBe(markup);
    await page.click("#tab-terminal");
    await type(markup.replaceAll(" ", "+").replaceAll('"', "'"));
    await page.locator("#log .error").waitFor();
    expect((await rows())[0]![0]).toBe(markup);
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.title()).toBe("warmline-gateway");
    // And if it were written as markup, the policy would stop it.
    const thrown = await page.evaluate<string>(`(() => {
      try { document.body.innerHTML = "<b>x</b>"; return ""; } catch (error) { return String(error); }
    })()`);
    expect(thrown).toContain("TrustedHTML");
  });

  test("the console counts connections and commands per second", async () => {
    await open();
    await page.locator("#main").waitFor();
    let going = true;
    const load = (async () => {
      while (going) await redis.ping();
    })();
    await expect
      .poll(async () => Number(await page.textContent("#rate")), { timeout: 10_000 })
      .toBeGreaterThan(10);
    expect(Number(await page.textContent("#connections"))).toBeGreaterThanOrEqual(2);
    going = false;
    await load;
    await expect.poll(() => page.textContent("#rate"), { timeout: 10_000 }).toBe("0");
  });

  test("the console counts keys and memory, and none of its own commands", async () => {
    await redis.mset(Object.fromEntries(Array.from({ length: 313 }, (_, at) => [`key:${at}`, at])));
    await open();
    await page.getByText("200 of 313 keys").waitFor();
    await page.click("#more");
    await page.getByText("313 keys", { exact: true }).waitFor();
    await expect.poll(() => page.textContent("#size")).toBe("313");
    expect(await page.textContent("#memory")).toMatch(/^[\d.]+[BKMG]/);
    await expect.poll(() => page.textContent("#rate")).toBe("0");
    expect(await page.textContent("#peak")).toBe("0");
  });

  test("the console shows that the gateway does not respond", async () => {
    await open();
    await page.locator("#main").waitFor();
    await gateway.close();
    await page.getByText("The gateway does not respond.").waitFor();
  });

  test("the list stays as long as it is after a write, and a long one shows what was changed", async () => {
    const fill = (from: number, to: number) =>
      redis.mset(Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`key:${from + at}`, at])));
    await fill(0, 313);
    await open();
    await page.getByText("200 of 313 keys").waitFor();
    expect(await page.locator("#rows summary").first().textContent()).toBe("key:200, maybe more");
    await page.click("#more");
    await page.getByText("313 keys", { exact: true }).waitFor();
    await type("SET another 1");
    await page.getByText("314 keys", { exact: true }).waitFor();
    await fill(313, 1_200);
    await page.click("#search button");
    const more = page.locator("#more");
    await expect
      .poll(async () => {
        if (await more.isVisible()) await more.click();
        return page.textContent("#found");
      })
      .toBe("1201 keys");
    await type("SET one-more 1");
    await page.getByText("1202 keys", { exact: true }).waitFor();
    await type("DEL one-more another");
    await page.getByText("1200 keys", { exact: true }).waitFor();
    await type("FLUSHALL");
    await page.getByText("No keys yet.").waitFor();
  });

  test("keys are filtered by type", async () => {
    await redis.set("text", "x");
    await redis.hset("account", { name: "Ada" });
    await redis.json.set("document", "$", { a: 1 });
    await open();
    await page.getByText("3 keys", { exact: true }).waitFor();
    await page.selectOption("#type", "hash");
    await expect.poll(names).toEqual(["account"]);
    await page.selectOption("#type", { label: "json" });
    await expect.poll(names).toEqual(["document"]);
    await page.selectOption("#type", "zset");
    await page.getByText("No key matches.").waitFor();
  });

  test("a key of each type is added by a form, which replaces no key", async () => {
    await open();
    await page.getByText("No keys yet.").waitFor();
    const form = view().locator("form.new");
    const create = async (name: string, type: string, parts: Record<string, string>) => {
      await page.click("#new");
      await form.getByLabel("name").fill(name);
      await form.locator("select").selectOption({ label: type });
      for (const [part, value] of Object.entries(parts)) await form.getByLabel(part).fill(value);
      await form.getByRole("button", { name: "Create" }).click();
      await view().getByRole("heading", { name, exact: true }).waitFor();
    };
    await create("text", "string", { value: "Ada" });
    await create("account", "hash", { field: "name", value: "Ada" });
    await create("queue", "list", { item: "first" });
    await create("tags", "set", { member: "new" });
    await create("board", "zset", { member: "ada", score: "1.5" });
    await create("events", "stream", { field: "n", value: "1" });
    await create("document", "json", { document: '{"a":1}' });
    expect(await redis.get("text")).toBe("Ada");
    expect(await redis.hgetall("account")).toEqual({ name: "Ada" });
    expect(await redis.lrange("queue", 0, -1)).toEqual(["first"]);
    expect(await redis.smembers("tags")).toEqual(["new"]);
    expect(await redis.zscore("board", "ada")).toBe(1.5);
    expect(await redis.xlen("events")).toBe(1);
    expect(await redis.json.get("document")).toEqual({ a: 1 });
    await expect.poll(names).toEqual(["account", "board", "document", "events", "queue", "tags", "text"]);
    await page.click("#new");
    await form.getByLabel("name").fill("text");
    await form.getByLabel("value").fill("Grace");
    await form.getByRole("button", { name: "Create" }).click();
    await view().getByText("There is a key of this name already.").waitFor();
    expect(await redis.get("text")).toBe("Ada");
    expect(complaints).toEqual([]);
  });

  test("entries are added to collections, and an element of a list is removed at its place", async () => {
    await redis.hset("hash", { name: "Ada" });
    await redis.rpush("list", "same", "other", "same");
    await open();
    await openKey("hash");
    const add = view().locator("form.add");
    await add.getByLabel("field").fill("city");
    await add.getByLabel("value").fill("Paris");
    await add.getByRole("button", { name: "Add" }).click();
    await expect.poll(() => redis.hgetall("hash")).toEqual({ name: "Ada", city: "Paris" });
    await openKey("list");
    await view().getByRole("heading", { name: "list", exact: true }).waitFor();
    await add.getByLabel("item").fill("last");
    await add.getByRole("button", { name: "Add" }).click();
    await expect.poll(() => view().locator("tr").count()).toBe(4);
    const third = view().locator("tr").nth(2);
    await third.getByRole("button", { name: "Remove" }).click();
    await third.getByRole("button", { name: "Remove?" }).click();
    await expect.poll(() => redis.lrange("list", 0, -1)).toEqual(["same", "other", "last"]);
  });

  test("values that are empty or can't be seen are shown", async () => {
    await redis.set("empty", "");
    await redis.set("control", "a\u0001b");
    await redis.set("lines", "a\nb");
    await redis.set("", "x");
    await open();
    for (const [name, text] of [
      ["empty", '""'],
      ["control", '"a\\x01b"'],
      ["lines", "a\nb"],
    ] as const) {
      await openKey(name);
      await expect.poll(() => view().locator("pre").textContent()).toBe(text);
    }
    expect(await names()).toContain('""');
  });

  test("the arrival page has examples that run with a click", async () => {
    await open();
    await page.getByText("No keys yet.").waitFor();
    await page.getByRole("button", { name: /^SET user:1/ }).click();
    await expect.poll(() => reply().textContent()).toBe("OK");
    await page.getByRole("button", { name: /^HSET account:1/ }).click();
    await expect.poll(names).toEqual(["account:1", "user:1"]);
    expect(await redis.get("user:1")).toEqual({ name: "Ada", languages: ["en", "fr"] });
    expect(await redis.hgetall("account:1")).toEqual({ name: "Ada", visits: 3 });
    expect(complaints).toEqual([]);
  });

  test("keys are sorted as numbers are, and grouped by prefix", async () => {
    await redis.mset({ "user:10": 1, "user:9": 1, "user:9:tags": 1, "a:b:c:1": 1, "a:b:c:2": 1, single: 1 });
    await open();
    await page.getByText("6 keys", { exact: true }).waitFor();
    expect(await names()).toEqual(["a:b:c:1", "a:b:c:2", "single", "user:9", "user:9:tags", "user:10"]);
    const groups = await page.locator("#rows summary .name").allTextContents();
    expect(groups).toEqual(["a:b:c:", "user:"]);
    await page.locator("#rows summary", { hasText: "user:" }).click();
    expect(await page.locator("#rows .row .name", { hasText: "user:10" }).isVisible()).toBe(false);
    // The list is fetched again; the group stays closed.
    await page.click("#search button");
    await type("PING");
    await expect.poll(() => reply().textContent()).toBe("PONG");
    expect(await page.locator("#rows .row .name", { hasText: "user:10" }).isVisible()).toBe(false);
  });

  test("a large group is closed at first, and open where a search finds nothing else", async () => {
    await redis.mset({
      single: 1,
      ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`user:${at}`, at])),
    });
    await open();
    await page.getByText("31 keys", { exact: true }).waitFor();
    const key = page.locator("#rows .row .name", { hasText: "user:12" });
    expect(await key.isVisible()).toBe(false);
    await page.fill("#pattern", "user:*");
    await page.press("#pattern", "Enter");
    await page.getByText("30 keys", { exact: true }).waitFor();
    expect(await key.isVisible()).toBe(true);
  });

  test("a JSON value is shown as a tree, with every digit, and edited without loss", async () => {
    const stored = '{"id":12345678901234567890,"price":1.10,"tags":["a",{"b":null}],"empty":{}}';
    await redis.with({ codec: "text" }).set("doc", stored, { ex: 3_600 });
    await open();
    await openKey("doc");
    const leaves = view().locator(".leaf");
    await expect
      .poll(() => leaves.allTextContents())
      .toEqual(["id: 12345678901234567890", "price: 1.10", '0: "a"', "b: null", "empty: {}"]);
    await view().getByRole("button", { name: "Edit" }).click();
    const area = view().locator("textarea");
    expect(await area.inputValue()).toContain('\n  "id": 12345678901234567890,\n  "price": 1.10,');
    await area.fill((await area.inputValue()).replace('"a"', '"changed"'));
    await view().getByRole("button", { name: "Save" }).click();
    await expect.poll(() => leaves.nth(2).textContent()).toBe('0: "changed"');
    const text = redis.with({ codec: "text" });
    expect(await text.get("doc")).toBe(stored.replace('"a"', '"changed"'));
    expect(await redis.ttl("doc")).toBeGreaterThan(3_000);
    expect(complaints).toEqual([]);
  });

  test("a time to live is set and removed", async () => {
    await redis.set("k", "v");
    await open();
    await openKey("k");
    await view().getByText("does not expire").waitFor();
    await view().getByLabel("time to live in seconds").fill("600");
    await view().getByRole("button", { name: "Set", exact: true }).click();
    await view().getByText("expires in 10 min").waitFor();
    expect(await redis.ttl("k")).toBeGreaterThan(500);
    await expect.poll(rows).toEqual([["k", "string", "10 min"]]);
    await view().getByRole("button", { name: "Never expire" }).click();
    await view().getByText("does not expire").waitFor();
    expect(await redis.ttl("k")).toBe(-1);
  });

  test("a key is deleted by a second click", async () => {
    await redis.mset({ gone: 1, kept: 2 });
    await open();
    await openKey("gone");
    await view().getByRole("button", { name: "Delete" }).click();
    await view().getByRole("button", { name: "Delete the key?" }).waitFor();
    expect(await redis.exists("gone")).toBe(1);
    await view().getByRole("button", { name: "Delete the key?" }).click();
    await view().getByText("does not exist any more").waitFor();
    await expect.poll(names).toEqual(["kept"]);
    expect(await redis.exists("gone")).toBe(0);
  });

  test("entries of collections are edited and removed", async () => {
    await redis.hset("hash", { name: "Ada", city: "Paris" });
    await redis.rpush("list", "first", "second");
    await redis.zadd("zset", { score: 1.5, member: "ada" });
    await redis.sadd("set", "one", "two");
    const edit = async (key: string, row: number, to: string) => {
      await openKey(key);
      await view().getByRole("heading", { name: key, exact: true }).waitFor();
      const at = view().locator("tr").nth(row);
      await at.getByRole("button", { name: "Edit" }).click();
      await at.locator("textarea").fill(to);
      await at.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => at.locator("pre").textContent()).toBe(to);
    };
    const remove = async (key: string, row: number) => {
      await openKey(key);
      await view().getByRole("heading", { name: key, exact: true }).waitFor();
      const at = view().locator("tr").nth(row);
      await at.getByRole("button", { name: "Remove" }).click();
      await at.getByRole("button", { name: "Remove?" }).click();
    };
    await open();
    await edit("hash", 0, "Grace");
    await edit("list", 1, "2nd");
    await edit("zset", 0, "2.5");
    expect(await redis.hget("hash", "name")).toBe("Grace");
    expect(await redis.lrange("list", 0, -1)).toEqual(["first", "2nd"]);
    expect(await redis.zscore("zset", "ada")).toBe(2.5);
    await remove("hash", 1);
    await expect.poll(() => redis.hkeys("hash")).toEqual(["name"]);
    await remove("set", 0);
    await expect.poll(() => redis.scard("set")).toBe(1);
    // The error of Redis is shown beside the value.
    await openKey("zset");
    await view().getByRole("heading", { name: "zset" }).waitFor();
    await view().getByRole("button", { name: "Edit" }).click();
    await view().locator("textarea").fill("no number");
    await view().getByRole("button", { name: "Save" }).click();
    await view().getByRole("alert").getByText("ERR value is not a valid float").waitFor();
  });

  test("bytes that are not text are shown and not edited", async () => {
    await redis.set("bytes", Uint8Array.of(0, 255, 10));
    await open();
    await openKey("bytes");
    await expect.poll(() => view().locator("pre").textContent()).toBe('"\\x00\\xff\\n"');
    expect(await view().getByRole("button", { name: "Edit" }).count()).toBe(0);
  });

  test("an edited text keeps its line ends, and a text with several kinds is not edited", async () => {
    const text = redis.with({ codec: "text" });
    await text.mset({ crlf: "a\r\nb\r\n", mixed: "a\r\nb\n" });
    await open();
    await openKey("crlf");
    await view().getByRole("button", { name: "Edit" }).click();
    await view().locator("textarea").fill("a\nchanged\nc\n");
    await view().getByRole("button", { name: "Save" }).click();
    await expect.poll(() => text.get("crlf")).toBe("a\r\nchanged\r\nc\r\n");
    await openKey("mixed");
    await view().getByText("its line ends differ").waitFor();
    expect(await view().getByRole("button", { name: "Edit" }).count()).toBe(0);
  });

  test("the live list has the commands of other clients, names and keys alone", async () => {
    await open();
    await page.click("#tab-commands");
    await page.getByText("Commands of all clients").waitFor();
    expect(await page.locator("#waiting").isVisible()).toBe(true);
    await redis.set("user:1", "secret-value");
    await redis.mset({ a: 1, b: 2, c: 3, d: 4, e: 5 });
    await redis.multi().incr("n").exec();
    await redis.lpush("user:1", "x").catch(() => {});
    const feed = async () =>
      Promise.all(
        (await page.locator("#feed tr").all()).map(async (row) => {
          const [, name, keys, ms, error] = await row.locator("td").allTextContents();
          expect(Number(ms)).toBeGreaterThanOrEqual(0);
          return [name, keys, error];
        }),
      );
    await expect.poll(feed).toEqual([
      ["LPUSH", "user:1", "WRONGTYPE"],
      ["MULTI INCR", "n", ""],
      ["MSET", "a b c d and 1 more", ""],
      ["SET", "user:1", ""],
    ]);
    expect(await page.locator("#commands").textContent()).not.toContain("secret-value");
    // Commands that the page itself sends for its list of keys are left out.
    await page.click("#search button");
    await page.getByText("7 keys", { exact: true }).waitFor();
    await redis.ping();
    await expect.poll(async () => (await feed())[0]).toEqual(["PING", "", ""]);
    await expect.poll(() => page.textContent("#size")).toBe("7");
    expect(await feed()).toHaveLength(5);
    expect(await page.locator("#waiting").isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test("the lines for .env are copied with the token, which is not shown", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.url });
    await open();
    await page.click("#to-connect");
    const copied = async (name: string) => {
      await page.getByRole("button", { name: `Copy: ${name}` }).click();
      await page.getByText("Copied").waitFor();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    expect(await copied("Environment")).toBe(
      [
        `WARMLINE_URL=${gateway.url}`,
        `WARMLINE_TOKEN=${gateway.token}`,
        `UPSTASH_REDIS_REST_URL=${gateway.url}`,
        `UPSTASH_REDIS_REST_TOKEN=${gateway.token}`,
      ].join("\n"),
    );
    await page.getByText("Copied").waitFor({ state: "detached" });
    expect(await copied("TypeScript")).toContain("Redis.fromEnv()");
    expect(await page.content()).not.toContain(gateway.token);
    expect(complaints).toEqual([]);
  });

  test("nothing is wider than a phone's screen, in any view", async () => {
    await redis.set("a-long-key-name-that-has-no-place-to-break-".repeat(4), "x".repeat(500));
    await redis.hset("hash", {
      "a-long-field-name-without-a-space": JSON.stringify({ deep: { text: "y".repeat(200) } }),
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    await page.getByText("2 keys", { exact: true }).waitFor();
    const overflow = () =>
      page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(await overflow()).toBe(0);
    for (const key of ["a-long-key", "hash"]) {
      await openKey(key);
      await view().getByRole("button", { name: "Refresh" }).waitFor();
      expect(await overflow(), key).toBe(0);
    }
    for (const tab of ["terminal", "commands", "connect"]) {
      await page.click(`#tab-${tab}`);
      expect(await overflow(), tab).toBe(0);
    }
  });

  test("a read-only token shows what it may read", async () => {
    const tokens = [{ name: "reader", token: "a-token-that-reads", role: "read-only" }] as const;
    const limited = forTest(await startGateway({ console: true, token: "a-token-for-all", tokens }));
    await new Redis({ url: limited.url, token: "a-token-for-all" }).set("k", "v");
    await page.goto(`${limited.url}/#a-token-that-reads`);
    await page.locator("#main").waitFor();
    await type("GET k");
    await expect.poll(() => reply().textContent()).toBe('"v"');
    await type("SET k w");
    await expect.poll(() => reply().textContent()).toMatch(/^\(error\) NOPERM/);
    expect(await page.locator("#counters").isVisible()).toBe(false);
    await expect.poll(() => page.textContent("#found")).toMatch(/NOPERM.*'scan'/);
    await page.click("#tab-commands");
    await expect.poll(() => page.textContent("#commands-state")).toMatch(/NOPERM.*'monitor'/);
  });

  test("another page can't frame the console", async () => {
    await page.route("http://other.test/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${gateway.url}/"></iframe>` }),
    );
    await page.goto("http://other.test/");
    const frame = page.frames()[1]!;
    await expect.poll(() => frame.url()).toMatch(/^chrome-error:|^about:blank/);
    expect(await frame.locator("#login").count()).toBe(0);
  });
});
