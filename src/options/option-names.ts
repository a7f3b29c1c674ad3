/** Returns what is wrong with an option's name, with the known name that was probably meant, or all of them. */
export function unknownOption(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `unknown option ${name}; ${near ? `did you mean ${near}?` : `it takes ${known.join(", ")}`}`;
}

/** Returns what is wrong with the first name among the options that is not known, or undefined. */
export function findUnknownOption(given: object, known: readonly string[]): string | undefined {
  const name = Object.keys(given).find((name) => !known.includes(name));
  return name === undefined ? undefined : unknownOption(name, known);
}

/** Returns the known name that `name` was probably meant to be, or undefined if none is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => [distance(name.toLowerCase(), each.toLowerCase()), each] as const)
    .sort(([a], [b]) => a - b);
  return best && best[0] <= 2 && best[0] < name.length ? best[1] : undefined;
}

/** Returns how many letters have to be put in, left out or changed to get from `a` to `b` (Levenshtein distance). */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      row.push(Math.min(row[j]! + 1, above[j + 1]! + 1, above[j]! + (a[i] === b[j] ? 0 : 1)));
    }
    above = row;
  }
  return above[b.length]!;
}
