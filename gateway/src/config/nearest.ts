/** The known name that `name` was probably meant to be, or undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const simple = (text: string) => text.toLowerCase().replace(/[-_]/g, "");
  const ranked = known
    .map((each) => ({ each, distance: distance(simple(name), simple(each)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(2, Math.floor(name.length / 3)) ? best.each : undefined;
}

/** Returns the number of letters to insert, delete, replace or swap with their neighbour to get from `a` to `b`. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
      }
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
