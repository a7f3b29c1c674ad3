import { checkText } from "./checks.js";
import type { Check, Result, Table } from "./result.js";

const COLUMNS = 100;

/** Returns a result as it is printed: its sentences, the table, and the checks with what the articles measured. */
export function resultText(result: Result): string {
  const { sentences = [], terms = [], table, parts, machine, settings, checks, load } = result;
  const on = `${machine.cores} cores, Node ${machine.node.slice(1)}, round trip ${settings.rttMs} ms${settings.tls ? ", TLS" : ""}, ${settings.engine}, seed ${result.seed}, ${result.seconds} s.`;
  const blocks = [
    sentences.map((line) => wrap(line)),
    [asText(table)],
    ...(parts ?? []).map((part) => [part.title, asText(part.table)]),
    [...terms, on].map((line) => wrap(line)),
    checks.length === 0 ? [result.summary] : checks.map(checkLines),
    load.warning === undefined ? [] : [wrap(`Warning: ${load.warning}`)],
  ];
  return `${blocks
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n\n`;
}

/** A check as lines: the verdict, what is checked and the numbers; then what the article measured. */
function checkLines(check: Check): string {
  const { verdict, article } = check;
  const line = wrap(`${verdict.padEnd(3)}  ${checkText(check)}`, 5);
  return article ? `${line}\n${wrap(`     The article measured: ${article.result}`, 5)}` : line;
}

/** Breaks a text into lines at its blanks; later lines are indented. */
function wrap(text: string, indent = 0): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<=\S) /)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= COLUMNS || line.trim() === "") line = longer;
    else {
      lines.push(line);
      line = " ".repeat(indent) + word.trimStart();
    }
  }
  return [...lines, line].join("\n");
}

/** A table as plain text, numbers to the right, a line between groups. */
function asText(table: Table): string {
  const widths = table.columns.map(({ title }, index) =>
    Math.max(title.length, ...table.rows.map(({ cells }) => cells[index]!.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) =>
        table.columns[index]!.number ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!),
      )
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  const lines = [line(table.columns.map(({ title }) => title))];
  for (const row of table.rows) {
    if (row.newGroup) lines.push(rule);
    lines.push(line(row.cells));
  }
  return lines.join("\n");
}
