import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { Result } from "../../bench/src/results/result.js";
import { bench } from "../support/bench.js";
import { forTest } from "../support/lifetime.js";
import { newFolder } from "../support/new-folder.js";
import { describeInBrowser } from "./support/browser.js";

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

/** The layout of a picture in the browser. */
interface Drawn {
  readonly name: string;
  /** Lines and bars, and the ones among them without an area. */
  readonly marks: number;
  readonly empty: number;
  readonly badNumbers: boolean;
}

/** Runs in the page. */
const LOOK = `[...document.querySelectorAll("svg[role=img]")].map((svg) => {
  const marks = [...svg.querySelectorAll("[aria-label=line] path, [aria-label=bar] rect, [aria-label=dot] circle")];
  const size = (mark) => { const { width, height } = mark.getBBox(); return Math.max(width, height); };
  return {
    name: svg.getAttribute("aria-label"),
    marks: marks.length,
    empty: marks.filter((mark) => !(size(mark) > 0)).length,
    badNumbers: /NaN|Infinity|undefined/.test(svg.outerHTML),
  };
})`;

describeInBrowser("the bench's report", (browser) => {
  const folder = newFolder("report");
  const published = fileURLToPath(new URL("../../bench/results", import.meta.url));

  // The published results. Between them the pages of these two draw each kind of chart: bars and lines.
  beforeAll(async () => {
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

  test.each(Object.entries(SIZES))(
    "the report on a %s has no console error, fetches nothing and shows every chart whole",
    async (_size, viewport) => {
      for (const [name, file] of pages) {
        const context = await browser().newContext({ viewport });
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
          const { charts }: Result = JSON.parse(readFileSync(join(published, `${name}.json`), "utf8"));
          const panels = charts.map(
            (chart) => ("panels" in chart ? chart.panels : "groups" in chart ? chart.groups : []).length,
          );
          expect(drawn.length).toBe(panels.reduce((sum, count) => sum + count, 0));
          expect(drawn.length).toBeGreaterThan(0);
          for (const picture of drawn) {
            expect(picture, picture.name).toMatchObject({ empty: 0, badNumbers: false });
            expect(picture.marks, picture.name).toBeGreaterThan(0);
          }
          // The table scrolls in its own frame; the page does not.
          expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
            viewport.width,
          );
        } finally {
          await context.close();
        }
      }
    },
    60_000,
  );

  test("the verdict of every published claim is visible on a phone, and what was measured beside it on request", async () => {
    const context = forTest(await browser().newContext({ viewport: SIZES.phone }));
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
  });
});
