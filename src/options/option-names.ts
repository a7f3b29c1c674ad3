import { ArgumentError } from "../errors.js";

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
  return [0, 1, 2]
    .filter((edits) => edits < name.length)
    .flatMap((edits) => known.filter((each) => isNear(name.toLowerCase(), each.toLowerCase(), edits)))[0];
}

/** Whether `a` becomes `b` by at most so many letters put in, left out or changed (Levenshtein distance). */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  if (a[0] === b[0]) return isNear(a.slice(1), b.slice(1), edits);
  const [restA, restB] = [a.slice(1), b.slice(1)];
  return (
    edits > 0 &&
    [
      [restA, restB],
      [restA, b],
      [a, restB],
    ].some(([x, y]) => isNear(x!, y!, edits - 1))
  );
}

/** @throws ArgumentError for an option that the method does not have. */
export function assertKnownOptions(method: string, options: object, ...known: string[]): void {
  const unknown = findUnknownOption(options, known);
  if (unknown) throw new ArgumentError(`${method}: ${unknown}`, { command: undefined });
}
