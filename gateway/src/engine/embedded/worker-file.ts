import { existsSync } from "node:fs";

/**
 * The path of the built worker: beside this code in the package, in `dist` when this code runs from its
 * sources.
 * @throws {Error} when it has not been built.
 */
export function workerFile(base: string = import.meta.url): URL {
  const places = [new URL("./embedded-worker.js", base), new URL("../../../dist/embedded-worker.js", base)];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) {
    throw new Error(
      "the embedded engine's worker is missing: build it with `npm run build --workspace gateway`",
    );
  }
  return found;
}
