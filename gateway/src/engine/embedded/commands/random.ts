import { type RedisHashField, RedisResult, RedisValue } from "js-redis-server/core";
import { indexed } from "../collections/adopt.js";
import type { IndexedMap } from "../collections/indexed-map.js";
import type { Member } from "../collections/sorted-members.js";
import { randomKey } from "../keyspace.js";
import { array, bulk, bulkValue, type CommandTable, type Context } from "./define.js";

interface RandomArguments {
  readonly key: Buffer;
  readonly count?: number;
  readonly withValues?: boolean;
  readonly withScores?: boolean;
}

/** Above this share of a collection, random picks would too often hit an item twice. Then all items are shuffled. */
const MAX_SHARE = 1 / 3;

/** Returns random items: different ones, or with a negative count, as many as its amount, with repetitions. */
function randomItems<V>(items: IndexedMap<V>, count: number): V[] {
  if (items.size === 0) return [];
  if (count < 0) return Array.from({ length: -count }, () => items.get(items.randomId()!)!);
  const ids =
    count > items.size * MAX_SHARE ? shuffled([...items.keys()]).slice(0, count) : picked(items, count);
  return Array.from(ids, (id) => items.get(id)!);
}

function picked<V>(items: IndexedMap<V>, count: number): Set<string> {
  const ids = new Set<string>();
  while (ids.size < count) ids.add(items.randomId()!);
  return ids;
}

function shuffled<T>(items: T[]): T[] {
  for (let end = items.length - 1; end > 0; end -= 1) {
    const other = Math.floor(Math.random() * (end + 1));
    [items[end], items[other]] = [items[other]!, items[end]!];
  }
  return items;
}

/** Replaces the commands that pick random keys, members or fields, which in the library read all of them. */
export function addRandomCommands(table: CommandTable): void {
  // Scripts may call these, since their effects are replicated rather than they themselves.
  table.replace("srandmember zrandmember hrandfield spop", (base) => ({
    ...base,
    flags: base.flags.filter((flag) => flag !== "noscript"),
  }));
  /** A command that returns random items: one without a count, else an array. */
  const random = <V>(
    name: string,
    itemsAt: (key: Buffer, ctx: Context) => IndexedMap<V>,
    valuesOf: (item: V, args: RandomArguments) => RedisValue[],
  ) =>
    table.override<RandomArguments>(name, (args, ctx) => {
      const items = itemsAt(args.key, ctx);
      if (args.count !== undefined)
        return array(randomItems(items, args.count).flatMap((item) => valuesOf(item, args)));
      const id = items.randomId();
      return id === undefined ? bulk(null) : RedisResult.create(valuesOf(items.get(id)!, args)[0]!);
    });
  random<Buffer>(
    "srandmember",
    (key, ctx) => indexed(ctx.db.getSet(key)?.members),
    (member) => [bulkValue(member)],
  );
  random<Member>(
    "zrandmember",
    (key, ctx) => indexed(ctx.db.getSortedSet(key)?.members),
    ({ member, score }, { withScores }) =>
      withScores ? [bulkValue(member), RedisValue.double(score)] : [bulkValue(member)],
  );
  random<RedisHashField>("hrandfield", fieldsAt, ({ field, value }, { withValues }) =>
    withValues ? [bulkValue(field), bulkValue(value)] : [bulkValue(field)],
  );
  table.override<RandomArguments>("spop", ({ key, count }, ctx) => {
    const found = randomItems(indexed(ctx.db.getSet(key)?.members), count ?? 1);
    if (found.length > 0) {
      ctx.db.updateSet(key, (set) => {
        for (const member of found) set.deleteMember(member);
      });
    }
    return count === undefined ? bulk(found[0] ?? null) : array(found.map(bulkValue));
  });
  table.override("randomkey", (_args, ctx) => bulk(randomKey(ctx.db) ?? null));
}

/** The fields of a hash that have not expired. */
function fieldsAt(key: Buffer, ctx: Context): IndexedMap<RedisHashField> {
  // Removes the others.
  ctx.db.updateHash(key, (hash) => void hash.size);
  return indexed(ctx.db.getHash(key)?.fields);
}
