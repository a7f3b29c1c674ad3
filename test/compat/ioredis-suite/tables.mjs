import { readFileSync, writeFileSync } from "node:fs";

/** Writes the tables of a run into a page, between `<!-- suite -->` and `<!-- /suite -->`. */
export function writeTables(page, { redis, ioredis, files, tcp, http, throughConnector, lost }) {
  const reasons = new Map();
  for (const test of lost) reasons.set(test.reason, [...(reasons.get(test.reason) ?? []), test]);
  const sorted = [...reasons].sort(([, a], [, b]) => b.length - a.length);
  const text = [
    `| ioredis ${ioredis}, Redis ${redis}, ${files} files | tests |`,
    "|---|---|",
    `| pass over TCP | ${tcp.toLocaleString("en")} |`,
    `| of these, pass through the connector | ${http.toLocaleString("en")} |`,
    `| of these, open a connection to Redis; the others have servers of their own | ${throughConnector.toLocaleString("en")} |`,
    "",
    "| why the others are lost | tests |",
    "|---|---|",
    ...sorted.map(([reason, tests]) => `| ${reason} | ${tests.length} |`),
    "",
    "<details><summary>Each lost test</summary>",
    "",
    ...sorted.flatMap(([reason, tests]) => [`${reason}:`, "", ...listed(tests), ""]),
    "</details>",
  ].join("\n");
  const [begin, end] = ["<!-- suite -->\n", "\n<!-- /suite -->"];
  const content = readFileSync(page, "utf8");
  const from = content.indexOf(begin) + begin.length;
  const to = content.indexOf(end, from - 1);
  if (from < begin.length || to < 0) throw new Error(`${page} has no place for the tables`);
  writeFileSync(page, content.slice(0, from) + text + content.slice(to));
}

/** One line for each title; a test that runs for each protocol has one title. */
function listed(tests) {
  const counts = new Map();
  for (const { file, title, error } of tests) {
    const name = `\`${file.replace("test/functional/", "")}\`: ${title.replace(/ \((RESP\S+)\)/, "").replace(/[|<>]/g, "")}`;
    const whole = error === "did not run" ? `${name}; not run, since a test before it ended its file` : name;
    counts.set(whole, (counts.get(whole) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `- ${name}${count > 1 ? ` (${count})` : ""}`);
}
