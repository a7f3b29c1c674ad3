import type { RedisSetData } from "js-redis-server/core";
import { type CommandTable, withDatabase } from "./define.js";

/** Lets intersections take time in proportion to the smallest set. The library copies all. */
export function addSetCommands(table: CommandTable): void {
  table.override<{ keys: readonly Buffer[] }>("sinter sintercard sinterstore", (args, ctx, run) => {
    const sets = args.keys.map((key) => ctx.db.getSet(key));
    const [smallest] = sets.toSorted((a, b) => (a?.members.size ?? 0) - (b?.members.size ?? 0));
    /** The members of a set that are in the smallest one too. */
    const getSet = (key: Buffer): RedisSetData | null => {
      const set = ctx.db.getSet(key);
      if (!set) return null;
      const ids = smallest?.members ?? new Map<string, Buffer>();
      return { ...set, members: new Map([...ids].filter(([id]) => set.members.has(id))) };
    };
    return run(args, withDatabase(ctx, { getSet }));
  });
}
