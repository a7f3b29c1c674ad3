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

/** A chart as the browser shows it. */
interface DrawnChart {
  readonly name: string;
  /** Number of lines, bars and dots. */
  readonly marks: number;
  /** Number of marks of size 0. */
  readonly empty: number;
  /** Whether the SVG contains NaN, Infinity or undefined. */
  readonly badNumbers: boolean;
}

/** Returns every {@link DrawnChart} of the page. It runs in the browser. */
const READ_CHARTS = `[...document.querySelectorAll("svg[role=img]")].map((svg) => {
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

  // One report of all published results, and one each of two results: together these have bar and line charts.
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
          const drawn = await page.evaluate<DrawnChart[]>(READ_CHARTS);
          const { charts }: Result = JSON.parse(readFileSync(join(published, `${name}.json`), "utf8"));
          const panels = charts.map(
            (chart) => ("panels" in chart ? chart.panels : "groups" in chart ? chart.groups : []).length,
          );
          expect(drawn.length).toBe(panels.reduce((sum, count) => sum + count, 0));
          expect(drawn.length).toBeGreaterThan(0);
          for (const chart of drawn) {
            expect(chart, chart.name).toMatchObject({ empty: 0, badNumbers: false });
            expect(chart.marks, chart.name).toBeGreaterThan(0);
          }
          // A wide table scrolls in its own frame, not the page.
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

  test("the verdict of every published claim is visible on a phone, and a click shows its details", async () => {
    const context = forTest(await browser().newContext({ viewport: SIZES.phone }));
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, "published.html")).href);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(SIZES.phone.width);
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
