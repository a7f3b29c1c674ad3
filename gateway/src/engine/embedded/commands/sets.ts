import type { CommandExecutor, RedisDatabase, RedisSetData } from "js-redis-server/core";
import { addCommands, libraryCommand, withDatabase } from "./define.js";

/** Lets intersections take time in proportion to the smallest set. The library copies all. */
export function addSetCommands(executor: CommandExecutor): void {
  addCommands(
    executor,
    ["sinter", "sintercard", "sinterstore"].map((name) => {
      const base = libraryCommand(executor, name);
      return {
        ...base,
        execute(args, ctx) {
          const sets = (args as { keys: readonly Buffer[] }).keys.map((key) => ctx.db.getSet(key));
          const [smallest] = sets.toSorted((a, b) => (a?.members.size ?? 0) - (b?.members.size ?? 0));
          /** The members of a set that are in the smallest one too. */
          const getSet = (key: Buffer): RedisSetData | null => {
            const set = ctx.db.getSet(key);
            if (!set) return null;
            const ids = smallest?.members ?? new Map<string, Buffer>();
            return { ...set, members: new Map([...ids].filter(([id]) => set.members.has(id))) };
          };
          return base.execute(args, withDatabase(ctx, { getSet } satisfies Partial<RedisDatabase>));
        },
      };
    }),
  );
}
