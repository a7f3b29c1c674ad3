import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bench } from "../support/bench.js";
import { describeInBrowser } from "./support/browser.js";

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

/** The layout of a picture in the browser. */
interface Drawn {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Lines and bars, and the ones among them without an area. */
  readonly marks: number;
  readonly empty: number;
  readonly wordsOutside: readonly string[];
  readonly badNumbers: boolean;
}

/** Runs in the page. */
const LOOK = `[...document.querySelectorAll("svg[role=img]")].map((svg) => {
  const box = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll("[aria-label=line] path, [aria-label=bar] rect, [aria-label=dot] circle")];
  const size = (mark) => { const { width, height } = mark.getBBox(); return Math.max(width, height); };
  const right = document.documentElement.clientWidth;
  return {
    name: svg.getAttribute("aria-label"),
    width: box.width,
    height: box.height,
    marks: marks.length,
    empty: marks.filter((mark) => !(size(mark) > 0)).length,
    wordsOutside: [...svg.querySelectorAll("text")]
      .filter((text) => { const at = text.getBoundingClientRect(); return at.left < 0 || at.right > right + 1; })
      .map((text) => text.textContent),
    badNumbers: /NaN|Infinity|undefined/.test(svg.outerHTML),
  };
})`;

describeInBrowser("the bench's report", (browser) => {
  const folder = mkdtempSync(join(tmpdir(), "warmline-report-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  // The published results. Between them the pages of these two draw each kind of chart: bars and lines.
  beforeAll(async () => {
    const published = fileURLToPath(new URL("../../bench/results", import.meta.url));
    const report = async (names: readonly string[], to: string) => {
      const results = names.map((name) => join(published, name));
      const { code, stderr } = await bench(folder, ["report", ...results, "--report", to]);
      expect(code, stderr).toBe(0);
    };
    await report(
      readdirSync(published).filter((name) => name.endsWith(".json")),
      "published.html",
    );
    for (const [name] of pages) await report([`${name}.json`], `${name}.html`);
  }, 120_000);
  const pages = ["keepalive", "fleet"].map((name) => [name, join(folder, `${name}.html`)] as const);

  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`the report on a ${size} in ${colorScheme} has no console error, fetches nothing and shows every chart whole`, async () => {
        const colours = new Set<string>();
        for (const [name, file] of pages) {
          const context = await browser().newContext({ viewport, colorScheme });
          try {
            const page = await context.newPage();
            const complaints: string[] = [];
            const requested: string[] = [];
            page.on("console", (message) => complaints.push(message.text()));
            page.on("pageerror", (error) => complaints.push(error.message));
            page.on("request", (request) => requested.push(request.url()));
            await page.goto(pathToFileURL(file).href);
            expect(complaints).toEqual([]);
            expect(requested.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(file).href]);
            const drawn = await page.evaluate<Drawn[]>(LOOK);
            expect(drawn.length).toBe(name === "keepalive" ? 25 : 2);
            for (const picture of drawn) {
              expect(picture, picture.name).toMatchObject({ empty: 0, wordsOutside: [], badNumbers: false });
              expect(picture.marks, picture.name).toBeGreaterThan(0);
              expect(picture.width, picture.name).toBeGreaterThan(200);
              expect(picture.height, picture.name).toBeGreaterThan(40);
            }
            if (size === "desktop") {
              // The table of fleet has too many columns to fit.
              const hidden = await page
                .locator(".scroll")
                .evaluateAll(
                  (frames) => frames.filter((frame) => frame.scrollWidth > frame.clientWidth).length,
                );
              if (name === "keepalive") expect(hidden).toBe(0);
            }
            // The table scrolls in its own frame; the page does not.
            expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
              viewport.width,
            );
            colours.add(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor"));
          } finally {
            await context.close();
          }
        }
        expect([...colours]).toEqual([colorScheme === "dark" ? "rgb(18, 21, 26)" : "rgb(250, 249, 246)"]);
      }, 60_000);
    }
  }

  test("the verdict of every published claim is visible on a phone, and what was measured beside it on request", async () => {
    const context = await browser().newContext({ viewport: SIZES.phone });
    try {
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(folder, "published.html")).href);
      const verdicts = await page.locator(".claims tr:not(.group) td:last-child").all();
      expect(verdicts.length).toBeGreaterThan(20);
      for (const verdict of verdicts) {
        const box = (await verdict.boundingBox())!;
        expect(box.x + box.width).toBeLessThanOrEqual(SIZES.phone.width);
      }
      const details = page.locator(".claims details").first();
      const height = async () => (await details.boundingBox())!.height;
      const closed = await height();
      await details.locator("summary").click();
      expect(await height()).toBeGreaterThan(closed);
    } finally {
      await context.close();
    }
  });
});
