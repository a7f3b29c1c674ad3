import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, posix, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { describeInBrowser } from "../browser/support/browser.js";
import { anchorsOf } from "../repo/docs/pages.js";
import { beforeTests, forTest } from "../support/lifetime.js";
import { startServer } from "../support/start-server.js";

// The site of npm run docs:site, as GitHub Pages serves it below /warmline/.

const root = resolve(import.meta.dirname, "../..");
const site = join(root, "build/site");
const BASE = "/warmline/";
const ORIGIN = "https://warmline.github.io";
const GITHUB = "https://github.com/warmline/warmline";
/** Pages of the repository on GitHub that are not files of it. */
const GITHUB_PAGES = ["", "/releases"];
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

const files = readdirSync(site, { recursive: true, encoding: "utf8" });
const pages = files.filter((file) => file.endsWith(".html") && file !== "404.html");
const guides = pages.filter((file) => !file.startsWith("api/"));

/** Returns the file that a path of the site leads to, as GitHub Pages resolves it. */
function fileOf(path: string): string | undefined {
  const inside = path.slice(BASE.length);
  return [inside, `${inside}.html`, posix.join(inside, "index.html")].find(
    (each) => files.includes(each) && extname(each),
  );
}

const ids = new Map<string, Set<string>>();

/** Returns the ids in a page of the site. */
function idsOf(file: string): Set<string> {
  const html = () => readFileSync(join(site, file), "utf8");
  if (!ids.has(file))
    ids.set(file, new Set([...html().matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id]) => id!)));
  return ids.get(file)!;
}

/** Returns the targets of the links of a page. */
function linksOf(page: string): string[] {
  const html = readFileSync(join(site, page), "utf8");
  return [...html.matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)].map(([, href]) => href!.replaceAll("&amp;", "&"));
}

/** Returns the images, scripts and styles that a page loads, without those that are in the page itself. */
function resourcesOf(html: string): string[] {
  const found = html.matchAll(/<(?:img|script|source|link)\b[^>]*?\s(?:src|href)="([^"]+)"/g);
  return [...found].map(([, target]) => target!).filter((target) => !target.startsWith("data:"));
}

/** Whether a page or a resource of the site, or a file of the repository on GitHub, exists. Other addresses are not checked. */
function leadsSomewhere(href: string, page: string): boolean {
  const target = new URL(href, `${ORIGIN}${BASE}${page}`);
  const anchor = decodeURIComponent(target.hash.slice(1));
  if (target.href.startsWith(GITHUB))
    return isOnGitHub(target.href.slice(GITHUB.length).split("#")[0]!, anchor);
  if (target.origin !== ORIGIN) return true;
  const file = fileOf(decodeURIComponent(target.pathname));
  if (file === undefined) return false;
  return anchor === "" || idsOf(file).has(anchor);
}

/** Whether a path below the repository's address exists: `blob` and `edit` have files, `tree` has folders. */
function isOnGitHub(path: string, anchor: string): boolean {
  const [, kind, name] = /^\/(blob|tree|edit)\/main\/(.+)$/.exec(path) ?? [];
  if (name === undefined) return GITHUB_PAGES.includes(path) && (anchor === "" || anchor === "readme");
  const file = join(root, decodeURIComponent(name));
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || found.isDirectory() !== (kind === "tree")) return false;
  if (anchor === "") return true;
  const lines = /^L(\d+)$/.exec(anchor);
  const text = readFileSync(file, "utf8");
  return lines ? Number(lines[1]) <= text.split("\n").length : anchorsOf(text).includes(anchor);
}

test("a link to a missing page or heading is found", () => {
  const ok = (href: string) => leadsSomewhere(href, "gateway.html");
  expect(ok("/warmline/cookbook#cache")).toBe(true);
  expect(ok("/warmline/cookbook#nothing")).toBe(false);
  expect(ok("/warmline/nothing")).toBe(false);
  expect(ok(`${ORIGIN}/warmline/cookbook#cache`)).toBe(true);
  expect(ok(`${ORIGIN}/warmline/nothing`)).toBe(false);
});

test.each([
  [true, "/blob/main/docs/cookbook.md#cache"],
  [false, "/blob/main/docs/cookbook.md#nothing"],
  [false, "/blob/main/nothing"],
  [false, "/blob/main/docs"],
  [true, "/tree/main/docs"],
  [false, "/tree/main/docs/cookbook.md"],
  [true, "/blob/main/package.json#L1"],
  [false, "/blob/main/package.json#L99999"],
  [true, "/releases"],
  [false, "/relases"],
])("a link to the repository on GitHub is %s: %s", (exists, path) => {
  expect(leadsSomewhere(GITHUB + path, "gateway.html")).toBe(exists);
});

test("a missing image is found", () => {
  const images = resourcesOf(
    '<p><img alt="" width="1" src="./nothing.svg"><img src="data:image/svg+xml,%3Csvg"></p>',
  );
  expect(images).toEqual(["./nothing.svg"]);
  expect(leadsSomewhere(images[0]!, "gateway.html")).toBe(false);
});

describe("links of the site", () => {
  const sources = readdirSync(join(root, "docs")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );

  test("each page of docs/ is a page of the site, and in the sidebar", () => {
    expect(guides.sort()).toEqual(sources.map((name) => name.replace(".md", ".html")).sort());
    const guide = readFileSync(join(site, "getting-started.html"), "utf8");
    for (const page of guides.filter((name) => name !== "index.html"))
      expect(guide, page).toContain(`href="${BASE}${page.replace(".html", "")}"`);
  });

  test.each(guides)("every link of %s leads to a page and a heading that exist", (page) => {
    const links = linksOf(page);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((href) => !leadsSomewhere(href, page))).toEqual([]);
  });

  test("llms-full.txt has every page that llms.txt names", () => {
    const read = (path: string) => readFileSync(path, "utf8");
    const full = read(join(root, "build/site/llms-full.txt"));
    const names = [...read(join(root, "build/site/llms.txt")).matchAll(/docs\/([\w-]+\.md)\)/g)];
    expect(names.length).toBeGreaterThan(20);
    for (const [, name] of names) expect(full).toContain(read(join(root, "docs", name!)).trim());
  });

  test("every image, script and style of the pages exists", () => {
    const missing = pages.map((page) => {
      const resources = resourcesOf(readFileSync(join(site, page), "utf8"));
      expect(resources.length, page).toBeGreaterThan(1);
      return resources.filter((target) => !leadsSomewhere(target, page)).map((target) => [page, target]);
    });
    expect(missing.flat()).toEqual([]);
  });

  test("every link of the API reference leads to a page and a member that exist", () => {
    const broken = pages
      .filter((page) => page.startsWith("api/"))
      .flatMap((page) =>
        linksOf(page)
          .filter((href) => !leadsSomewhere(href, page))
          .map((href) => [page, href]),
      );
    expect(broken).toEqual([]);
  });

  test("the API reference has a page for each entry of the packages", () => {
    const modules = files.filter((file) => file.startsWith("api/modules/"));
    const entries = [".", "gateway", "adapters"].flatMap((folder) => {
      const { name, exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return Object.keys(exports)
        .filter((entry) => entry !== "./package.json")
        .map((entry) => posix.join(name, entry).replaceAll("/", "_"));
    });
    expect(modules.sort()).toEqual(entries.map((entry) => `api/modules/${entry}.html`).sort());
    expect(files).toContain("api/index.html");
  });
});

/** Pages of tables of figures. */
const FIGURES = ["benchmarks", "performance", "scale"];

const views = [
  { name: "desktop", width: 1_280, height: 800 },
  { name: "phone", width: 390, height: 844 },
];

describeInBrowser("the site in a browser", (browser) => {
  let url = "";
  beforeTests(async (shared) => {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url!, "http://site");
      const file = pathname.startsWith(BASE) ? fileOf(decodeURIComponent(pathname)) : undefined;
      response.writeHead(file ? 200 : 404, {
        "content-type": TYPES[extname(file ?? ".html")] ?? "application/octet-stream",
      });
      response.end(file ? readFileSync(join(site, file)) : "");
    });
    const { port } = shared(await startServer(server));
    url = `http://127.0.0.1:${port}${BASE}`;
  });

  test("tables of figures fit into their pages on a desktop", async () => {
    const page = await browser().newPage({ viewport: { width: 1_280, height: 800 } });
    for (const path of FIGURES) {
      await page.goto(url + path);
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll(".vp-doc table")].filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.innerText.slice(0, 80))`,
      );
      expect(wide, path).toEqual([]);
    }
    await page.close();
  });

  const shots = join(root, "build/site-screenshots");
  mkdirSync(shots, { recursive: true });

  describe.each(views)("on a $name", ({ name, width, height }) => {
    test.each(["light", "dark"] as const)("the pages fit, %s", { timeout: 120_000 }, async (colorScheme) => {
      const context = forTest(await browser().newContext({ viewport: { width, height }, colorScheme }));
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("request", (request) => {
        if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
          problems.push(request.url());
      });
      for (const path of [
        "",
        "getting-started",
        "cookbook",
        "commands",
        "gateway",
        "troubleshooting",
        ...FIGURES,
      ]) {
        await page.goto(url + path, { waitUntil: "networkidle" });
        const { overflow, background } = (await page.evaluate(
          `({ overflow: document.documentElement.scrollWidth - innerWidth, background: getComputedStyle(document.body).backgroundColor })`,
        )) as { overflow: number; background: string };
        expect(overflow, `${path} is wider than the screen`).toBeLessThanOrEqual(0);
        const [red] = background.match(/\d+/g)!;
        expect(Number(red) > 128).toBe(colorScheme === "light");
        await page.screenshot({ path: join(shots, `${path || "index"}-${name}-${colorScheme}.png`) });
      }
      expect(problems).toEqual([]);
    });
  });

  /** What people ask, and a page that answers it. */
  const QUESTIONS = [
    ["fetch failed", "troubleshooting#fetch-failed"],
    ["ECONNRESET", "troubleshooting#a-connection-was-closed"],
    ["too many connections", "troubleshooting#too-many-connections-or-requests"],
    ["local redis without docker", "getting-started"],
    ["ElastiCache", "cloud-redis#aws"],
    ["IAM", "cloud-redis#aws"],
    ["VPC", "deploy#aws-ecs-on-fargate"],
    ["docker compose", "deploy#docker"],
    ["SnapStart", "scale#snapshots-lambda-snapstart-and-others"],
    ["worker threads", "scale#worker-threads-and-lambda-managed-instances"],
    ["mock", "testing#testing-and-mocking"],
    ["rotate token", "gateway#rotating-a-token"],
    ["debug log", "connections#a-log-for-debugging"],
    ["license", "embedded-engine"],
    ["self-signed certificate", "troubleshooting#an-untrusted-certificate"],
    ["proxy", "networks#a-proxy"],
    ["CORS", "troubleshooting#a-browser-blocks-the-request"],
    ["Next.js cache", "integrations#nextjs"],
    ["session", "integrations#express-session"],
    ["rate limit", "rate-limits#rate-limits-on-your-own-redis"],
    ["BullMQ", "bullmq#bullmq-from-functions"],
    ["key prefix", "prefix#a-key-prefix"],
    ["idempotency", "exactly-once#one-run-per-event"],
    ["binary data", "commands#commands"],
    ["Prometheus", "gateway#metrics"],
    ["keep-alive", "connections"],
    ["lock with fencing", "cookbook#lock-with-fencing"],
  ] as const;

  test("the search finds the answers to what people ask", { timeout: 60_000 }, async () => {
    const page = forTest(await browser().newPage());
    await page.goto(url, { waitUntil: "networkidle" });
    const search = page.locator("input[type=search]");
    // A page that has just loaded may not listen to keys yet.
    const opened = async () => {
      if ((await search.count()) === 0) await page.keyboard.press("Control+k");
      return search.count();
    };
    await expect.poll(opened, { interval: 500 }).toBe(1);
    const results = page.locator(".result");
    const found = () =>
      results.evaluateAll((links: { getAttribute(name: string): string | null }[]) =>
        links.map((link) => link.getAttribute("href")!),
      );
    // The first page of results.
    for (const [question, answer] of QUESTIONS) {
      await search.fill(question);
      await expect
        .poll(async () => (await found()).slice(0, 8), { message: question })
        .toContainEqual(expect.stringContaining(`/${answer}`));
    }
    await results.first().click();
    await page.waitForURL(/cookbook#lock-with-fencing$/);
  });

  test("the API reference opens from the menu", { timeout: 60_000 }, async () => {
    const page = forTest(await browser().newPage({ viewport: { width: 1_280, height: 800 } }));
    await page.goto(`${url}getting-started`, { waitUntil: "networkidle" });
    await page.locator("nav a", { hasText: "API" }).first().click();
    await page.waitForURL(/\/api\/index\.html$/);
    expect(await page.title()).toContain("warmline");
  });
});
