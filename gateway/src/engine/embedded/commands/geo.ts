import type { CommandExecutor } from "js-redis-server/core";
import { peek } from "../keyspace.js";
import { addCommands, libraryCommand } from "./define.js";
import { array, integer } from "./results.js";

/** Replaces the searches for positions, which in the library fail for a set that is not there. */
export function addGeoCommands(executor: CommandExecutor): void {
  const names = [
    "geosearch",
    "geosearchstore",
    "georadius",
    "georadius_ro",
    "georadiusbymember",
    "georadiusbymember_ro",
  ];
  addCommands(
    executor,
    names.map((name) => {
      const base = libraryCommand(executor, name);
      return {
        ...base,
        execute(args, ctx) {
          const keys = base.keys(args);
          const [source, target] = name === "geosearchstore" ? keys.toReversed() : keys;
          if (peek(ctx.db, source!)) return base.execute(args, ctx);
          if (!target) return array([]);
          ctx.db.delete(target);
          return integer(0);
        },
      };
    }),
  );
}
