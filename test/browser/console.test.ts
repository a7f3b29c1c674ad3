import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Redis } from "warmline";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { describeInBrowser } from "./support/browser.js";

describeInBrowser("the console page", (browser) => {
  let gateway: TestGateway;
  let redis: Redis;
  let context: BrowserContext;
  let page: Page;
  /** What the browser complained of, and where the page's requests went. */
  const complaints: string[] = [];
  const requested = new Set<string>();

  beforeEach(async () => {
    gateway = await startGateway({ console: true });
    redis = new Redis({ url: gateway.url, token: gateway.token });
    context = await browser().newContext({ viewport: { width: 1100, height: 700 } });
    page = await context.newPage();
    complaints.length = 0;
    requested.clear();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requested.add(new URL(request.url()).origin));
  });
  afterEach(async () => {
    await context?.close();
    await gateway?.close();
  });

  const open = () => page.goto(`${gateway.url}/#${gateway.token}`);
  const cells = async () => (await page.locator("#rows tr").allInnerTexts()).map((text) => text.split("\t"));
  const type = async (line: string) => {
    await page.fill("#line", line);
    await page.press("#line", "Enter");
  };
  const answer = () => page.locator("#log > div:not(.asked)").last();

  test("the console shows keys with types and times to live, and requests nothing from other origins", async () => {
    await redis.set("user:1", "Ada", { ex: 3000 });
    await redis.rpush("queue", "a", "b");
    await redis.hset("account", { name: "Ada" });
    await open();
    await page.locator("#rows tr").nth(2).waitFor();
    expect(await page.locator("#login").isVisible()).toBe(false);
    const rows = new Map((await cells()).map(([key, ...rest]) => [key, rest]));
    expect(rows.get("user:1")).toEqual(["string", "50 min"]);
    expect(rows.get("queue")).toEqual(["list", ""]);
    expect(rows.get("account")).toEqual(["hash", ""]);
    expect(await page.textContent("#found")).toBe("3 keys");
    await page.fill("#pattern", "user:*");
    await page.press("#pattern", "Enter");
    await page.getByText("1 key", { exact: true }).waitFor();
    await page.click("#rows button");
    await answer().waitFor();
    expect(await answer().textContent()).toBe('"Ada"');
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
      ['GET "open', "a quote is not closed, or is not followed by a space"],
      ["SUBSCRIBE c", /^\(error\) NOPERM/],
    ] as const) {
      await type(line);
      await expect.poll(() => page.locator("#log .asked").last().textContent()).toBe(`> ${line}`);
      await expect
        .poll(() => answer().textContent())
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
    await expect.poll(() => answer().textContent()).toBe("PONG");
  });

  test("markup in a key, a value or an error is shown as text", async () => {
    const markup = '<img src=x onerror="document.title=\'taken\'"><script>document.title="taken"</script>';
    await redis.set(markup, markup);
    await open();
    await page.locator("#rows button").click();
    await answer().waitFor();
    await type(markup.replaceAll(" ", "+").replaceAll('"', "'"));
    await page.locator("#log .error").waitFor();
    expect((await cells())[0]![0]).toBe(markup);
    expect(await page.locator("#rows img, #log img, #rows script, #log script").count()).toBe(0);
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

  test("the console shows that the gateway does not respond", async () => {
    await open();
    await page.locator("#main").waitFor();
    await gateway.close();
    await page.getByText("The gateway does not respond.").waitFor();
  });

  test("the console pages through thousands of keys", async () => {
    await redis.mset(Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`key:${at}`, at])));
    await open();
    await page.getByText(/so far$/).waitFor();
    const more = page.locator("#more");
    await expect
      .poll(async () => {
        if (await more.isVisible()) await more.click();
        return page.textContent("#found");
      })
      .toBe("700 keys");
    expect(new Set((await cells()).map(([key]) => key)).size).toBe(700);
  });

  test("a read-only token shows what it may read", async () => {
    const tokens = [{ name: "reader", token: "a-token-that-reads", role: "read-only" }] as const;
    const limited = await startGateway({ console: true, token: "a-token-for-all", tokens });
    try {
      await new Redis({ url: limited.url, token: "a-token-for-all" }).set("k", "v");
      await page.goto(`${limited.url}/#a-token-that-reads`);
      await page.locator("#main").waitFor();
      await type("GET k");
      await expect.poll(() => answer().textContent()).toBe('"v"');
      await type("SET k w");
      await expect.poll(() => answer().textContent()).toMatch(/^\(error\) NOPERM/);
      expect(await page.locator("#counters").isVisible()).toBe(false);
      await expect.poll(() => page.textContent("#found")).toMatch(/NOPERM.*'scan'/);
    } finally {
      await limited.close();
    }
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
