import { dropEntry } from "../keyspace.js";
import { type CommandTable, withDatabase } from "./define.js";

/** Commands that store their result at a key, and replace its value. */
const STORING = "zunionstore zinterstore zdiffstore sunionstore sinterstore sdiffstore";

/** Lets these commands replace what is at their destination, with its time to live. The library adds to it. */
export function overwriteDestinations(table: CommandTable): void {
  table.override(STORING, (args, ctx, run) => {
    // By the time of the update all sources have been read.
    const target = withDatabase(ctx, {
      updateSet(key, change) {
        dropEntry(ctx.db, key);
        return ctx.db.updateSet(key, change);
      },
      updateSortedSet(key, change) {
        dropEntry(ctx.db, key);
        return ctx.db.updateSortedSet(key, change);
      },
    });
    return run(args, target);
  });
}
