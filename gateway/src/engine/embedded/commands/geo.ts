import { peek } from "../keyspace.js";
import { array, type CommandTable, integer } from "./define.js";

const SEARCHES = "geosearch geosearchstore georadius georadius_ro georadiusbymember georadiusbymember_ro";

/** Lets a search of a missing key find nothing. In the library, a search around a member fails there. */
export function addGeoCommands(table: CommandTable): void {
  table.replace(SEARCHES, (base) => ({
    ...base,
    execute(args, ctx) {
      const keys = base.keys(args);
      const [source, target] = base.name === "geosearchstore" ? keys.toReversed() : keys;
      if (peek(ctx.db, source!)) return base.execute(args, ctx);
      if (!target) return array([]);
      ctx.db.delete(target);
      return integer(0);
    },
  }));
}
