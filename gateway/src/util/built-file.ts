import { existsSync } from "node:fs";

/**
 * Returns a built file: beside this code in the package, in `dist` when this code runs from its sources.
 * @param part the name of what the file contains, for the error
 * @throws {Error} when it has not been built
 */
export function builtFile(name: string, part: string): URL {
  const places = [`./${name}`, `../../dist/${name}`].map((place) => new URL(place, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error(`${part} is missing: build it with \`npm run build --workspace gateway\``);
  return found;
}
