import type { Table } from "./result.js";

/** A table as plain text, numbers to the right, a line between groups. */
export function asText(table: Table): string {
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
