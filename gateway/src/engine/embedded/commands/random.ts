import { type RedisHashField, RedisResult, RedisValue } from "js-redis-server/core";
import { indexed } from "../collections/adopt.js";
import type { IndexedMap } from "../collections/indexed-map.js";
import type { Member } from "../collections/sorted-members.js";
import { checkReplyLength, OVERHEAD_BYTES } from "../guards.js";
import { entriesOf } from "../keyspace.js";
import type { EmbeddedLimits } from "../limits.js";
import { array, bulk, bulkValue, type CommandTable, type Context } from "./define.js";

interface RandomArguments {
  readonly key: Buffer;
  readonly count?: number;
  readonly withValues?: boolean;
  readonly withScores?: boolean;
}

/**
 * Returns random items: different ones, or with a negative count, as many as its amount, with repetitions.
 * @see https://doi.org/10.1145/30401.315746 for the choice of different places (R. Floyd)
 */
function randomItems<V>(items: IndexedMap<V>, count: number): V[] {
  if (items.size === 0) return [];
  const random = (size: number) => Math.floor(Math.random() * size);
  if (count < 0) return Array.from({ length: -count }, () => items.itemAt(random(items.size))!);
  const places = new Set<number>();
  for (let last = Math.max(0, items.size - count); last < items.size; last += 1) {
    const place = random(last + 1);
    places.add(places.has(place) ? last : place);
  }
  return Array.from(places, (place) => items.itemAt(place)!);
}

/** Replaces the commands that pick random keys, members or fields, which in the library read all of them. */
export function addRandomCommands(table: CommandTable, limits: EmbeddedLimits): void {
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
      // A negative count has no other bound.
      if (items.size > 0) checkReplyLength(-(args.count ?? 0) * OVERHEAD_BYTES, limits);
      if (args.count !== undefined)
        return array(randomItems(items, args.count).flatMap((item) => valuesOf(item, args)));
      const [item] = randomItems(items, 1);
      return item === undefined ? bulk(null) : RedisResult.create(valuesOf(item, args)[0]!);
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
  table.override("randomkey", (_args, ctx) => {
    ctx.db.sweepExpired();
    return bulk(randomItems(entriesOf(ctx.db), 1)[0]?.key ?? null);
  });
}

/** The fields of a hash that have not expired. */
function fieldsAt(key: Buffer, ctx: Context): IndexedMap<RedisHashField> {
  // Removes the others.
  ctx.db.updateHash(key, (hash) => void hash.size);
  return indexed(ctx.db.getHash(key)?.fields);
}
