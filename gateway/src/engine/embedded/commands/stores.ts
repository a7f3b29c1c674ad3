import type { CommandExecutor, RedisDatabase } from "js-redis-server/core";
import { dropEntry } from "../keyspace.js";
import { addCommands, libraryCommand, withDatabase } from "./define.js";

/** Commands that store their result at a key, whatever was there. */
const STORING = ["zunionstore", "zinterstore", "zdiffstore", "sunionstore", "sinterstore", "sdiffstore"];

/** Lets these commands replace what is at their destination, with its time to live. The library adds to it. */
export function overwriteDestinations(executor: CommandExecutor): void {
  addCommands(
    executor,
    STORING.map((name) => {
      const base = libraryCommand(executor, name);
      return {
        ...base,
        execute(args, ctx) {
          // By the time of the update all sources have been read.
          const methods: Partial<RedisDatabase> = {
            updateSet(key, change) {
              dropEntry(ctx.db, key);
              return ctx.db.updateSet(key, change);
            },
            updateSortedSet(key, change) {
              dropEntry(ctx.db, key);
              return ctx.db.updateSortedSet(key, change);
            },
          };
          return base.execute(args, withDatabase(ctx, methods));
        },
      };
    }),
  );
}
