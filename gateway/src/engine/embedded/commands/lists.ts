import type { CommandExecutor, RedisDatabase } from "js-redis-server/core";
import { listValues } from "../collections/adopt.js";
import { addCommands, libraryCommand, withDatabase } from "./define.js";
import { bulk } from "./results.js";

/** Replaces the commands that read elements of a list by an index in brackets, which its elements do not have. */
export function addListCommands(executor: CommandExecutor): void {
  const lpos = libraryCommand(executor, "lpos");
  addCommands(executor, [
    {
      ...libraryCommand(executor, "lindex"),
      execute(args, ctx) {
        const { key, index } = args as { key: Buffer; index: number };
        const list = ctx.db.getList(key);
        const values = list && listValues(list);
        return bulk(values?.at(index < 0 ? values.length + index : index) ?? null);
      },
    },
    {
      ...lpos,
      execute(args, ctx) {
        const getList: RedisDatabase["getList"] = (key) => {
          const list = ctx.db.getList(key);
          return list && { ...list, values: [...list.values] };
        };
        return lpos.execute(args, withDatabase(ctx, { getList }));
      },
    },
  ]);
}
