import { createServer } from "node:http";
import { resolve } from "node:path";
import { build } from "esbuild";
import type { BrowserContext, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createGateway, type Gateway } from "warmline-gateway";
import { forTest } from "../support/lifetime.js";
import { startServer } from "../support/start-server.js";
import { describeInBrowser, launchBrowser } from "./support/browser.js";

const ADMIN = "admin-token";
const PAGE = "page-token";

describeInBrowser("a web page of another site", (browser) => {
  let gateway: Gateway;
  /** The origin of the attacker's site: any page that a developer happens to open. */
  let origin: string;
  let context: BrowserContext;
  let page: Page;

  async function start(cors?: string[]): Promise<void> {
    const tokens = [{ name: "page", token: PAGE, role: "read-only" }] as const;
    const options = { engine: "embedded", port: 0, token: ADMIN, tokens } as const;
    gateway = forTest(await createGateway({ ...options, ...(cors ? { cors } : {}) }));
  }

  beforeEach(async () => {
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>another site</title><body></body>");
    });
    origin = `http://127.0.0.1:${forTest(await startServer(site)).port}`;
    context = forTest(await browser().newContext());
    page = await context.newPage();
  });

  /** A command as a program sends it. */
  async function run(...args: string[]): Promise<unknown> {
    const response = await fetch(gateway.url, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN}` },
      body: JSON.stringify(args),
    });
    return ((await response.json()) as { result: unknown }).result;
  }

  /** Requests that a page can make a browser send, with and without a preflight; each writes its own key. */
  const attempts = (url: string, token: string): Record<string, string> => ({
    image: `new Image().src = "${url}/set/image/1?_token=${token}"`,
    script: `document.body.append(Object.assign(document.createElement("script"), { src: "${url}/set/script/1?_token=${token}" }))`,
    frame: `document.body.append(Object.assign(document.createElement("iframe"), { src: "${url}/set/frame/1?_token=${token}" }))`,
    style: `document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "${url}/set/style/1?_token=${token}" }))`,
    form: `document.body.insertAdjacentHTML("beforeend", '<iframe name="sink"></iframe><form target="sink" method="post" action="${url}/set/form?_token=${token}"><input name="v" value="1"></form>'); document.forms[0].submit()`,
    text: `document.body.insertAdjacentHTML("beforeend", '<form target="sink" enctype="text/plain" method="post" action="${url}/?_token=${token}"><input name="[&quot;SET&quot;,&quot;text&quot;,&quot;" value="1&quot;]"></form>'); document.forms[1].submit()`,
    beacon: `navigator.sendBeacon("${url}/?_token=${token}", '["SET","beacon","1"]')`,
    "no-cors": `fetch("${url}/?_token=${token}", { method: "POST", mode: "no-cors", body: '["SET","no-cors","1"]' }).catch(() => {})`,
    cors: `fetch("${url}/", { method: "POST", headers: { authorization: "Bearer ${token}" }, body: '["SET","cors","1"]' }).catch(() => {})`,
    put: `fetch("${url}/set/put?_token=${token}", { method: "PUT", body: "1" }).catch(() => {})`,
    head: `fetch("${url}/set/head/1?_token=${token}", { method: "HEAD", mode: "no-cors" }).catch(() => {})`,
    events: `new EventSource("${url}/set/events/1?_token=${token}")`,
  });

  /** Makes the page try everything, and waits until the gateway has responded to as many requests. */
  async function tryAll(url: string, token = ADMIN): Promise<string[]> {
    const seen = new Set<string>();
    const all = attempts(url, token);
    const settled = (request: { url(): string; method(): string }) => {
      if (request.url().startsWith(url)) seen.add(`${request.method()} ${request.url()}`);
    };
    page.on("requestfinished", settled);
    page.on("requestfailed", settled);
    for (const attempt of Object.values(all)) await page.evaluate(attempt);
    await expect.poll(() => seen.size, { timeout: 10_000 }).toBeGreaterThanOrEqual(9);
    return [...seen];
  }

  const written = async () => ((await run("KEYS", "*")) as string[]).sort();

  test("a page of another site changes nothing, even with the token", async () => {
    await start();
    await run("SET", "mine", "1");
    await page.goto(origin);
    await tryAll(gateway.url);
    expect(await written()).toEqual(["mine"]);
  });

  test("a page of another site reads nothing", async () => {
    await start();
    await run("SET", "mine", "secret");
    await page.goto(origin);
    const read = await page.evaluate(
      `fetch("${gateway.url}/get/mine?_token=${ADMIN}").then((response) => response.text(), () => "refused")`,
    );
    expect(read).toBe("refused");
  });

  test("a page whose host name resolves to this machine is refused by the Host header", async () => {
    await start();
    const { port } = new URL(gateway.url);
    await context.close();
    // The browser resolves the attacker's name to this machine, as after a change of its DNS record.
    const rebound = await launchBrowser("--host-resolver-rules=MAP evil.test 127.0.0.1");
    try {
      page = await rebound.newPage();
      const response = await page.goto(`http://evil.test:${port}/set/rebound/1?_token=${ADMIN}`);
      expect(response!.status()).toBe(403);
      // Its own origin by now: same-origin requests, with any header it likes.
      const statuses = await page.evaluate(
        `Promise.all([
          fetch("/", { method: "POST", headers: { authorization: "Bearer ${ADMIN}" }, body: '["SET","rebound","1"]' }),
          fetch("/set/rebound/1?_token=${ADMIN}"),
          fetch("/health"),
        ]).then((all) => all.map((each) => each.status))`,
      );
      expect(statuses).toEqual([403, 403, 403]);
    } finally {
      await rebound.close();
    }
    expect(await written()).toEqual([]);
  });

  test("an allowed page with a read-only token reads, and writes nothing", async () => {
    await start([origin]);
    await run("SET", "mine", "1");
    await page.goto(origin);
    const responses = await page.evaluate(`(async () => {
      const send = async (...words) => {
        const response = await fetch("${gateway.url}", { method: "POST", headers: { authorization: "Bearer ${PAGE}" }, body: JSON.stringify(words) });
        return [response.status, await response.json()];
      };
      return [await send("GET", "mine"), await send("SET", "mine", "2"), await send("KEYS", "*"), await send("FLUSHALL")];
    })()`);
    const noperm = { error: expect.stringMatching(/^NOPERM/) };
    expect(responses).toEqual([
      [200, { result: "1" }],
      [400, noperm],
      [400, noperm],
      [400, noperm],
    ]);
    await tryAll(gateway.url, PAGE);
    expect(await written()).toEqual(["mine"]);
    expect(await run("GET", "mine")).toBe("1");
  });

  test("an allowed origin does not allow another port of its host", async () => {
    await start([origin]);
    await page.goto(origin.replace("127.0.0.1", "localhost"));
    await tryAll(gateway.url);
    expect(await written()).toEqual([]);
  });

  test("an allowed page with the token writes, so the attempts are real", async () => {
    await start([origin]);
    await page.goto(origin);
    await tryAll(gateway.url);
    const keys = await written();
    for (const name of ["beacon", "cors", "no-cors", "put"]) expect(keys).toContain(name);
  });

  test("a client in a page that may not read responses names --cors after one try", async () => {
    await start();
    await page.goto(origin);
    const { outputFiles } = await build({
      stdin: {
        contents: 'export { Redis } from "./src/fetch.ts"',
        resolveDir: resolve(import.meta.dirname, "../.."),
      },
      bundle: true,
      format: "iife",
      globalName: "warmline",
      write: false,
    });
    await page.addScriptTag({ content: outputFiles[0]!.text });
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
    const get = `new warmline.Redis({ url: "${gateway.url}", token: "${PAGE}" }).get("k")`;
    const message = await page.evaluate(`${get}.catch((error) => error.name + " " + error.message)`);
    expect(message).toBe(
      `ProtocolError GET: no complete response: ${gateway.url} does not allow ${origin} to read its responses: start warmline-gateway with --cors ${origin}`,
    );
    expect(sent).toEqual([`POST ${gateway.url}/`, `GET ${gateway.url}/`]);

    const { url } = gateway;
    await gateway.close();
    sent.length = 0;
    const gone = `new warmline.Redis({ url: "${url}", token: "t", retry: { retries: 1, backoff: () => 1 } }).get("k")`;
    expect(await page.evaluate(`${gone}.catch((error) => error.message)`)).toBe(
      "GET: no complete response: Failed to fetch",
    );
    expect(sent.filter((request) => request.startsWith("POST"))).toHaveLength(2);
  });
});
