import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { marked } from "marked";
import { expect, test } from "vitest";
import { results, withResults } from "../../scripts/results.js";
import { idleResult, nearResult } from "../support/published.js";
import { describeInBrowser } from "./support/browser.js";

// The front page as GitHub shows it: everything before "Guides" fits on two screens.

const path = resolve(import.meta.dirname, "../../README.md");

/** The height in pixels that two screens of 1,080 have for a page, below the browser's bars. */
const TWO_SCREENS = 2_000;
/** The width of the column of text beside a repository's sidebar, in a window of 1,280 pixels and above. */
const COLUMN = 830;

/** Sizes and margins of GitHub's style. The font has the widths of Helvetica and Arial. */
const STYLE = `
  * { box-sizing: border-box }
  body { margin: 0; font: 16px/1.5 "Liberation Sans", Arial, Helvetica, sans-serif; overflow-wrap: break-word }
  h1, h2 { font-weight: 600; line-height: 1.25; margin: 24px 0 16px; padding-bottom: .3em; border-bottom: 1px solid }
  h1 { font-size: 2em; margin-top: 0 } h2 { font-size: 1.5em }
  p, ul, pre, table, details { margin: 0 0 16px } ul { padding-left: 2em } li + li { margin-top: .25em }
  code { font: 85% "Liberation Mono", Menlo, monospace; padding: .2em .4em; white-space: break-spaces }
  pre { padding: 16px; overflow: auto; font-size: 85%; line-height: 1.45 }
  pre code { padding: 0; font-size: 100%; line-height: inherit; white-space: pre }
  table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; overflow: auto }
  th, td { padding: 6px 13px; border: 1px solid } th { font-weight: 600 } img { max-width: 100% }
`;

interface Layout {
  readonly height: number;
  readonly width: number;
}

/** Runs in the page. Returns the height of what stands before "Guides", and the width of the page. */
const MEASURE = `(async () => {
  await Promise.all([...document.images].map((image) => image.decode()));
  const top = (of) => of.getBoundingClientRect().top;
  const guides = [...document.querySelectorAll("h2")].find(({ textContent }) => textContent === "Guides");
  const height = top(guides) - parseFloat(getComputedStyle(guides).marginTop) - top(document.querySelector("h1"));
  const { width: textWidth } = Object.assign(document.createElement("canvas").getContext("2d"), {
    font: getComputedStyle(document.body).font,
  }).measureText("m".repeat(100));
  return { height, width: document.documentElement.scrollWidth, textWidth };
})()`;

/** The width in pixels of a hundred times the letter m in Arial at 16 px: 1,706 of 2,048 units each. */
const HUNDRED_M = 1_333;

describeInBrowser("README on GitHub", (browser) => {
  /** Returns the layout of README with these results in a column of a width. */
  async function layoutWith(from: typeof results, width: number): Promise<Layout> {
    const html = await marked(withResults(readFileSync(path, "utf8"), from));
    const page = await browser().newPage({ viewport: { width, height: 1_000 } });
    try {
      await page.goto(`${pathToFileURL(dirname(path))}/`);
      await page.setContent(
        `<!doctype html><meta name="viewport" content="width=device-width"><style>${STYLE}</style>${html}`,
      );
      const { textWidth, ...layout } = await page.evaluate<Layout & { textWidth: number }>(MEASURE);
      expect(Math.round(textWidth), "a font with the widths of Arial, such as fonts-liberation").toBe(
        HUNDRED_M,
      );
      return layout;
    } finally {
      await page.close();
    }
  }

  test("the front page is at most two screens high, with the published results and with all that it shows", async () => {
    const all = new Map([...results, ...idleResult(60), ...(await nearResult())]);
    for (const from of [results, all])
      expect((await layoutWith(from, COLUMN)).height).toBeLessThanOrEqual(TWO_SCREENS);
  });

  test("the page is as wide as a phone: only tables and code scroll sideways", async () => {
    expect(await layoutWith(results, 375)).toMatchObject({ width: 375 });
  });
});
