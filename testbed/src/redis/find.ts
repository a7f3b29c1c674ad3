import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first `redis-server`, else `valkey-server`, on PATH. */
export function findRedisServer(): string | undefined {
  for (const name of ["redis-server", "valkey-server"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here: the next folder.
      }
    }
  }
  return undefined;
}

/** The reason that is printed when a suite is skipped. */
export const NO_REDIS = "needs redis-server or valkey-server on PATH";

/**
 * Returns whether suites that need a real Redis can run, for `describe.skipIf(!redisAvailable())`. Prints once on stderr
 * that they are skipped.
 * @throws if there is no server and `REQUIRE_REDIS=1` is set
 */
export function redisAvailable(): boolean {
  if (findRedisServer()) return true;
  if (process.env.REQUIRE_REDIS === "1") throw new Error(`REQUIRE_REDIS=1, but this suite ${NO_REDIS}.`);
  if (!said) process.stderr.write(`Skipped: ${NO_REDIS}.\n`);
  said = true;
  return false;
}

let said = false;
