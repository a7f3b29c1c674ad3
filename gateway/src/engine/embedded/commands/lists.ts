import { type CommandExecutor, RedisResult, RedisValue } from "js-redis-server/core";
import { listValues } from "../collections/adopt.js";
import { ListValues } from "../collections/list-values.js";
import { addCommands, libraryCommand } from "./define.js";
import { array, bulk } from "./results.js";

interface LposArguments {
  readonly key: Buffer;
  readonly element: Buffer;
  readonly rank: number;
  readonly count?: number;
  readonly maxlen: number;
}

/** Replaces the commands that read elements of a list by an index in brackets, which its elements do not have. */
export function addListCommands(executor: CommandExecutor): void {
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
      ...libraryCommand(executor, "lpos"),
      execute(args, ctx) {
        const { key, element, rank, count, maxlen } = args as LposArguments;
        const list = ctx.db.getList(key);
        const values = list ? listValues(list) : new ListValues();
        const found: RedisValue[] = [];
        let skipped = Math.abs(rank) - 1;
        const wanted = count === 0 ? Number.POSITIVE_INFINITY : (count ?? 1);
        const limit = Math.min(maxlen || values.length, values.length);
        for (let compared = 0; compared < limit && found.length < wanted; compared += 1) {
          const at = rank > 0 ? compared : values.length - 1 - compared;
          if (!values.at(at)!.equals(element)) continue;
          if (skipped > 0) skipped -= 1;
          else found.push(RedisValue.integer(at));
        }
        return count === undefined ? RedisResult.create(found[0] ?? RedisValue.null()) : array(found);
      },
    },
  ]);
}
