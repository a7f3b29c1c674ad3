import { RedisResult, RedisValue } from "js-redis-server/core";
import { listValues } from "../collections/adopt.js";
import { array, bulk, type CommandTable } from "./define.js";

interface LposArguments {
  readonly key: Buffer;
  readonly element: Buffer;
  readonly rank: number;
  readonly count?: number;
  readonly maxlen: number;
}

/** Replaces the commands that read elements of a list by an index in brackets, which its elements do not have. */
export function addListCommands(table: CommandTable): void {
  table.override<{ key: Buffer; index: number }>("lindex", ({ key, index }, ctx) => {
    const values = listValues(ctx.db.getList(key));
    return bulk(values.at(index < 0 ? values.length + index : index) ?? null);
  });
  table.override<LposArguments>("lpos", ({ key, element, rank, count, maxlen }, ctx) => {
    const values = listValues(ctx.db.getList(key));
    const found: RedisValue[] = [];
    let skipped = Math.abs(rank) - 1;
    const most = count === 0 ? Number.POSITIVE_INFINITY : (count ?? 1);
    const limit = Math.min(maxlen || values.length, values.length);
    for (let compared = 0; compared < limit && found.length < most; compared += 1) {
      const at = rank > 0 ? compared : values.length - 1 - compared;
      if (!values.at(at)!.equals(element)) continue;
      if (skipped > 0) skipped -= 1;
      else found.push(RedisValue.integer(at));
    }
    return count === undefined ? RedisResult.create(found[0] ?? RedisValue.null()) : array(found);
  });
}
