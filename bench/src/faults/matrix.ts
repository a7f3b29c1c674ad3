import { grouped } from "../results/present.js";
import type { MatrixChart } from "../results/result.js";
import type { Series } from "../statistics/series.js";

/** The table of what each fault did to the calls of each client; the worst outcome decides a cell. */
export function faultMatrix(
  rows: readonly (Record<"calls" | "failed" | "hung" | "wrong" | "doubled", Series> & {
    readonly title: string;
    readonly client: { readonly label: string };
  })[],
): MatrixChart {
  const columns = [...new Set(rows.map(({ client }) => client.label))];
  return {
    kind: "matrix",
    title: "Faults and their outcomes",
    about:
      "Numbers count calls, or writes applied more often than issued. A cell has the colour of its worst outcome. It is empty if clients over TCP cannot meet the fault.",
    inSummary: true,
    columns,
    rows: grouped(rows, ({ title }) => title).map(([title, own]) => ({
      title,
      cells: columns.map((label) => {
        const row = own.find(({ client }) => client.label === label);
        if (!row) return null;
        const outcomes = (["doubled", "wrong", "hung", "failed"] as const).flatMap((key) =>
          row[key].total > 0
            ? [{ kind: key === "failed" ? ("rejected" as const) : key, count: row[key].total }]
            : [],
        );
        if (outcomes.length === 0) return { kind: "right", text: "right" };
        const text = outcomes.map(({ kind, count }) => `${kind} ${count}`).join(", ");
        return { kind: outcomes[0]!.kind, text: `${text} of ${row.calls.total}` };
      }),
    })),
  };
}
