import { dropEntry } from "../keyspace.js";
import { type CommandTable, withDatabase } from "./define.js";

/** Commands that store their result at a key. */
const STORING = "zunionstore zinterstore zdiffstore sunionstore sinterstore sdiffstore";

/** Makes these commands replace the value and the expiry of their destination. The library adds to the old value. */
export function overwriteDestinations(table: CommandTable): void {
  table.override(STORING, (args, ctx, run) => {
    // The destination may also be a source. The update comes after all sources have been read.
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
