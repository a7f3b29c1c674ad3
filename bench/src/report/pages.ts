import { basename, dirname, extname, join, relative } from "node:path";
import type { Result, SkippedScenario } from "../results/result.js";
import { resultPage } from "./page.js";
import { summaryPage } from "./summary.js";

/**
 * Renders the pages of results, each with its file: one result is one page. Several, or skipped scenarios, are a summary page in `file`
 * and one page each in the folder that has the file's name without its extension.
 */
export function pagesOf(file: string, results: readonly Result[], skipped: readonly SkippedScenario[] = []) {
  const [only] = results;
  if (only && results.length === 1 && skipped.length === 0) return [{ file, html: resultPage(only) }];
  const folder = join(dirname(file), basename(file, extname(file)));
  const fileOf = ({ scenario }: Result) => join(folder, `${scenario}.html`);
  const linkFrom = (from: string, to: string) => relative(dirname(from), to).split("\\").join("/");
  return [
    { file, html: summaryPage(results, skipped, (result) => linkFrom(file, fileOf(result))) },
    ...results.map((result) => ({
      file: fileOf(result),
      html: resultPage(result, linkFrom(fileOf(result), file)),
    })),
  ];
}
