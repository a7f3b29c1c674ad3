import { ArgumentError } from "../errors.js";

/** Returns the message for an unknown option. It has the valid name that was probably meant, or all valid names. */
export function unknownOption(name: string, validNames: readonly string[]): string {
  const near = nearest(name, validNames);
  return `unknown option ${name}; ${near ? `did you mean ${near}?` : `it takes ${validNames.join(", ")}`}`;
}

/** Returns the message for the first unknown option, or undefined if all names are valid. */
export function findUnknownOption(options: object, validNames: readonly string[]): string | undefined {
  const name = Object.keys(options).find((name) => !validNames.includes(name));
  return name === undefined ? undefined : unknownOption(name, validNames);
}

/** Returns the valid name that was probably meant by `name`, or undefined if none is near. */
function nearest(name: string, validNames: readonly string[]): string | undefined {
  for (let edits = 0; edits < 3 && edits < name.length; edits++) {
    const near = validNames.find((valid) => isNear(name.toLowerCase(), valid.toLowerCase(), edits));
    if (near) return near;
  }
  return undefined;
}

/** Whether at most `edits` insertions, deletions and changes of a letter turn `a` into `b` (Levenshtein distance). */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  if (a[0] === b[0]) return isNear(a.slice(1), b.slice(1), edits);
  if (edits === 0) return false;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  const fewer = edits - 1;
  return isNear(restA, restB, fewer) || isNear(restA, b, fewer) || isNear(a, restB, fewer);
}

/** @throws ArgumentError for an option that the method does not have. */
export function assertKnownOptions(method: string, options: object, ...validNames: string[]): void {
  const unknown = findUnknownOption(options, validNames);
  if (unknown) throw new ArgumentError(`${method}: ${unknown}`);
}
