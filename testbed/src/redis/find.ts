import { accessSync, constants } from "node:fs";
import { delimiter, resolve } from "node:path";

/** Returns the path of the first of these programs that is on PATH. A name may be an absolute path. */
export function findProgram(...names: string[]): string | undefined {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const file = resolve(folder, name);
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

/** Returns the path of `redis-server`, else of `valkey-server`, on PATH. */
export const findRedisServer = (): string | undefined => findProgram("redis-server", "valkey-server");

/** The reason in messages if there is no server on PATH. */
export const NO_REDIS = "needs redis-server or valkey-server on PATH";
