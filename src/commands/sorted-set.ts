import {
  type ArgEncoder,
  counted,
  flag,
  limit,
  optional,
  optionalCount,
  options,
  optionsOr,
  rest,
  scalar,
  scalars,
  sequence,
  stored,
  storedEach,
} from "./args.js";
import { alternating, float, int, list, oneOrMany, orNull, text, tuple, value, when } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored, StoredList } from "./reply-mode.js";
import type { StorableMember, StorableValue } from "./storable.js";
import type {
  AtMostOne,
  CollectionScanOptions,
  CountLimitOption,
  IfGiven,
  IfNamed,
  IfNone,
  MaybeScoredMembers,
  MemberOr,
  MembersAfter,
  OnlyKnown,
  PoppedMember,
  ScoredMembers,
} from "./types.js";

/** A member and its score. */
export interface ScoreMember<T> {
  /** The number that orders members, `Infinity` and `-Infinity` included. */
  score: number;
  /** The member. */
  member: T;
}

/** Which members zadd adds or changes, and what it counts. */
export type ZAddCommandOptions = AtMostOne<MemberCondition, "only one of nx and xx"> &
  AtMostOne<ScoreCondition, "only one of lt and gt"> & {
    /** Returns how many members were changed, rather than how many are new. */
    ch?: boolean | undefined;
    /** Adds to the score. Returns the new score, or null if an option prevented it. */
    incr?: boolean | undefined;
  };

/** Which members a command adds or changes. */
export interface MemberCondition {
  /** Only adds members, changes none. */
  nx: boolean;
  /** Only changes members, adds none. */
  xx: boolean;
}

/** Which scores zadd changes. */
export interface ScoreCondition {
  /** Changes a score only to a lower one. */
  lt: boolean;
  /** Changes a score only to a higher one. */
  gt: boolean;
}

/** Part of a range: both numbers are needed. */
export interface RangeLimit {
  /** Number of members to skip. */
  offset: number;
  /** Maximum number of members. */
  count: number;
}

/** Part of a range, or all of it. */
export type OptionalRangeLimit =
  | RangeLimit
  | {
      /** Number of members to skip. Only together with `count`. */
      offset?: undefined;
      /** Maximum number of members. Only together with `offset`. */
      count?: undefined;
    };

/** Whether a range also returns scores. */
export interface ScoresOption<WithScores extends boolean = boolean> {
  /** Returns each member's score after it. */
  withScores?: WithScores | undefined;
}

/** The kind of the bounds of a range. Default: ranks. */
export interface RangeKind {
  /** The bounds are scores. */
  byScore: boolean;
  /** The bounds are names, in the order of their bytes. */
  byLex: boolean;
}

/** Range of zrange, and the form of its result. */
export type ZRangeCommandOptions = ScoresOption & {
  /** From the highest to the lowest: `min` is then the higher bound. */
  rev?: boolean | undefined;
} & AtMostOne<RangeKind, "only one of byScore and byLex"> &
  OptionalRangeLimit;

/** Range of zrange without scores. */
export type UnscoredRangeOptions = ZRangeCommandOptions & { withScores?: false | undefined };

/** Range of zrangestore, which stores scores in any case. */
export type StoredRangeOptions = ZRangeCommandOptions & { withScores?: undefined };

/** A bound of scores; "(" excludes the bound itself. */
export type ScoreBound = number | `(${number}` | "-inf" | "+inf";

/** A bound in the order of bytes; "[" includes the bound itself, "(" excludes it. */
export type LexBound = `(${string}` | `[${string}` | "-" | "+";

/** A bound of a range under the options `O`: a rank, a name or a score. */
export type RangeBound<O> =
  | (O extends { byLex: true } | { byScore: true } ? never : number)
  | IfGiven<O, "byLex", LexBound>
  | IfGiven<O, "byScore", ScoreBound>;

/** The members of a range, each followed by its score if the options `O` request it. */
export type RangeResult<T extends readonly unknown[], O> = O extends { withScores: true }
  ? ScoredMembers<T>
  : T | IfGiven<O, "withScores", ScoredMembers<T>>;

/** Weights of scores. */
export interface ScoreWeights {
  /** Factor of the scores, for a single key. */
  weight: number;
  /** Factor of the scores of each key, in the order of the keys. */
  weights: number[];
}

/** The aggregation of scores of the same member. Scores are multiplied by a weight, `weight` if there is a single key, else one per key in `weights`. */
export type ZUnionStoreCommandOptions = {
  /** The sum of the scores, the lowest or the highest. Default "sum". */
  aggregate?: "sum" | "min" | "max" | undefined;
} & AtMostOne<ScoreWeights, "only one of weight and weights">;

/** The aggregation of scores. */
export type ZInterStoreCommandOptions = ZUnionStoreCommandOptions;

/** The aggregation of scores, and whether they are returned. */
export type ZUnionCommandOptions<WithScores extends boolean = boolean> = ZUnionStoreCommandOptions &
  ScoresOption<WithScores>;

/** The end of a sorted set that members are taken from. */
export type PopSide = "MIN" | "MAX" | "min" | "max";

/** The key that a member was taken from, the member and its score; null if there was none in time. */
export type BlockingPoppedMember<T> = [key: string, member: T, score: number] | null;

/** The key that members were taken from, and the members with their scores; null if there were none. */
export type PoppedScored<T> = [key: string, elements: [member: T, score: number][]] | null;

/** Commands on sorted sets. */
export interface SortedSetCommands<K extends ReplyMode> {
  /** Takes members of the first set that has any, waiting `timeout` seconds at most, or returns null. */
  bzmpop<T = Stored<K>>(
    timeout: number,
    numkeys: number,
    keys: Key[],
    side: PopSide,
    count?: number,
  ): Reply<K, PoppedScored<T>>;
  /** Takes the highest member of the first set that has any, waiting at most `timeout` seconds. */
  bzpopmax<T = Stored<K>>(keys: Key | Key[], timeout: number): Reply<K, BlockingPoppedMember<T>>;
  /** Takes the lowest member of the first set that has any, waiting at most `timeout` seconds. */
  bzpopmin<T = Stored<K>>(keys: Key | Key[], timeout: number): Reply<K, BlockingPoppedMember<T>>;
  /**
   * Sets members' scores. Returns how many are new; with `ch` how many changed, with `incr` the score or null.
   * @example
   * ```ts
   * await redis.zadd("ranking", { score: 20, member: "Ada" }, { score: 36, member: "Grace" }); // 2 new members
   * await redis.zadd("ranking", { incr: true }, { score: 1, member: "Ada" }); // 21
   * ```
   */
  zadd<
    T = unknown,
    First extends MemberOr<First, ScoreMember<T>, ZAddCommandOptions> = ScoreMember<T> | ZAddCommandOptions,
    Tag = never,
  >(
    key: Key,
    scoreMemberOrOptions: StorableMember<K, First, Tag>,
    ...scoreMembers: MembersAfter<First, ScoreMember<T>>
  ): Reply<K, number | null>;
  /** Returns how many members there are. */
  zcard(key: Key): Reply<K, number>;
  /** Returns how many members have a score between the bounds. */
  zcount(key: Key, min: number | string, max: number | string): Reply<K, number>;
  /** Returns the members of the first set that are in none of the others. */
  zdiff<T extends unknown[] = StoredList<K, any>, WithScores extends boolean = false>(
    numKeys: number,
    keys: Key | Key[],
    opts?: ScoresOption<WithScores>,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns each member with its score after it. */
  zdiff<T extends unknown[] = never>(
    numKeys: number,
    keys: Key | Key[],
    ...opts: IfNamed<T, [opts: ScoresOption]>
  ): Reply<K, ScoredMembers<T>>;
  /** Stores the result of zdiff. Returns its number of members. */
  zdiffstore(destination: Key, numkeys: number, ...keys: Key[]): Reply<K, number>;
  /** Adds to a member's score. Returns the new score. */
  zincrby<T = unknown, Tag = never>(
    key: Key,
    increment: number,
    member: StorableValue<K, T, Tag>,
  ): Reply<K, number>;
  /** Returns the members that are in every set; with scores, each after its member. */
  zinter<T extends unknown[] = StoredList<K, any>, WithScores extends boolean = false>(
    numKeys: number,
    keys: Key | Key[],
    opts?: ZUnionCommandOptions<WithScores>,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns each member with its score after it. */
  zinter<T extends unknown[] = never>(
    numKeys: number,
    keys: Key | Key[],
    ...opts: IfNamed<T, [opts: ZUnionCommandOptions]>
  ): Reply<K, ScoredMembers<T>>;
  /** Returns how many members are in every set, counting up to `limit`. */
  zintercard(keys: Key[], opts?: CountLimitOption): Reply<K, number>;
  /** Stores the result of zinter. Returns its number of members. */
  zinterstore(
    destination: Key,
    numKeys: number,
    keys: Key | Key[],
    opts?: ZInterStoreCommandOptions,
  ): Reply<K, number>;
  /** Returns how many members lie between the bounds, by name. All members must have the same score. */
  zlexcount(key: Key, min: string, max: string): Reply<K, number>;
  /** Takes members from the first set that has any. Returns key and members with scores, or null. */
  zmpop<T = Stored<K>>(
    numkeys: number,
    keys: Key[],
    side: PopSide,
    count?: number,
  ): Reply<K, PoppedScored<T>>;
  /** Returns each member's score, with null for missing members. */
  zmscore(key: Key, members: unknown[]): Reply<K, (number | null)[]>;
  /** Takes the highest member. Returns it and its score, or an empty array if the set does not exist. */
  zpopmax<T = Stored<K>>(key: Key): Reply<K, PoppedMember<T>>;
  /** Takes up to `count` of the highest members. Returns alternating members and scores. */
  zpopmax<T = Stored<K>>(key: Key, count: number | undefined): Reply<K, (T | number)[]>;
  /** Takes the lowest member. Returns it and its score, or an empty array if the set does not exist. */
  zpopmin<T = Stored<K>>(key: Key): Reply<K, PoppedMember<T>>;
  /** Takes up to `count` of the lowest members. Returns alternating members and scores. */
  zpopmin<T = Stored<K>>(key: Key, count: number | undefined): Reply<K, (T | number)[]>;
  /** Returns a random member, or null; with a count an array of them; with scores, each after its member. */
  zrandmember<T = Stored<K, string>>(key: Key): Reply<K, T | null>;
  /** Returns random members: distinct ones, or with a negative count possibly repeated. With `withScores`, each score follows its member. */
  zrandmember<T extends unknown[] = StoredList<K, string[]>, WithScores extends boolean = false>(
    key: Key,
    count: number,
    withScores?: WithScores,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns random members, each with its score after it. */
  zrandmember<T extends unknown[] = never>(
    key: Key,
    count: number,
    ...withScores: IfNamed<T, [withScores: boolean]>
  ): Reply<K, ScoredMembers<T>>;
  /**
   * Returns members by rank, both bounds included, from the lowest score; negative ranks count from the end.
   * @example
   * ```ts
   * await redis.zrange("ranking", 0, 9, { rev: true }); // the ten highest
   * await redis.zrange("ranking", 0, 100, { byScore: true, withScores: true }); // ["Ada", 20, "Grace", 36]
   * ```
   */
  zrange<T extends unknown[] = StoredList<K>>(key: Key, min: number, max: number): Reply<K, T>;
  /** Returns members by rank, by score or by name, as the options say; with scores, each after its member. */
  zrange<
    T extends unknown[] = StoredList<K>,
    O extends ZRangeCommandOptions & OnlyKnown<O, ZRangeCommandOptions> = UnscoredRangeOptions,
  >(
    key: Key,
    min: RangeBound<O>,
    max: RangeBound<O>,
    opts: O | IfNone<O, ZRangeCommandOptions> | undefined,
  ): Reply<K, RangeResult<T, O>>;
  /** Returns each member with its score after it. */
  zrange<T extends unknown[] = never>(
    key: Key,
    min: RangeBound<ZRangeCommandOptions>,
    max: RangeBound<ZRangeCommandOptions>,
    ...opts: IfNamed<T, [opts: ZRangeCommandOptions]>
  ): Reply<K, ScoredMembers<T>>;
  /** Returns members by name. Older form of zrange. */
  zrangebylex<T extends unknown[] = StoredList<K, string[]>>(
    key: Key,
    min: LexBound,
    max: LexBound,
    opts?: RangeLimit,
  ): Reply<K, T>;
  /** Returns members by score. Older form of zrange. */
  zrangebyscore<T extends unknown[] = StoredList<K, string[]>, WithScores extends boolean = false>(
    key: Key,
    min: ScoreBound,
    max: ScoreBound,
    opts?: ScoresOption<WithScores> & OptionalRangeLimit,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns each member with its score after it. */
  zrangebyscore<T extends unknown[] = never>(
    key: Key,
    min: ScoreBound,
    max: ScoreBound,
    ...opts: IfNamed<T, [opts: ScoresOption & OptionalRangeLimit]>
  ): Reply<K, ScoredMembers<T>>;
  /** Stores the result of zrange. Returns its number of members. */
  zrangestore(destination: Key, key: Key, min: number, max: number): Reply<K, number>;
  /** Stores members by rank, by score or by name, as the options say. Returns their number. */
  zrangestore<O extends StoredRangeOptions & OnlyKnown<O, StoredRangeOptions>>(
    destination: Key,
    key: Key,
    min: RangeBound<O>,
    max: RangeBound<O>,
    opts: O | IfNone<O, StoredRangeOptions> | undefined,
  ): Reply<K, number>;
  /** Returns a member's rank from the lowest, beginning with 0, or null; with `withScore` rank and score. */
  zrank<T = unknown, Tag = never>(key: Key, member: StorableValue<K, T, Tag>): Reply<K, number | null>;
  /** Returns a member's rank from the lowest, and its score. */
  zrank<T = unknown, Tag = never>(
    key: Key,
    member: StorableValue<K, T, Tag>,
    opts: { withScore: true },
  ): Reply<K, [rank: number, score: number] | null>;
  /** Removes members. Returns how many were removed. */
  zrem<T = unknown, Tag = never>(key: Key, ...members: StorableValue<K, T, Tag>[]): Reply<K, number>;
  /** Removes the members between two names. All must have the same score. Returns how many were removed. */
  zremrangebylex(key: Key, min: string, max: string): Reply<K, number>;
  /** Removes members by rank, both bounds included. Returns how many were removed. */
  zremrangebyrank(key: Key, start: number, stop: number): Reply<K, number>;
  /** Removes members by score. Returns how many were removed. */
  zremrangebyscore(key: Key, min: ScoreBound, max: ScoreBound): Reply<K, number>;
  /** Returns members from the highest rank. Older form of zrange. */
  zrevrange<T extends unknown[] = StoredList<K, string[]>, WithScores extends boolean = false>(
    key: Key,
    start: number,
    stop: number,
    opts?: ScoresOption<WithScores>,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns each member with its score after it. */
  zrevrange<T extends unknown[] = never>(
    key: Key,
    start: number,
    stop: number,
    ...opts: IfNamed<T, [opts: ScoresOption]>
  ): Reply<K, ScoredMembers<T>>;
  /** Returns members by name from the last. Older form of zrange. */
  zrevrangebylex<T extends unknown[] = StoredList<K, string[]>>(
    key: Key,
    max: LexBound,
    min: LexBound,
    opts?: RangeLimit,
  ): Reply<K, T>;
  /** Returns members by score from the highest. Older form of zrange. */
  zrevrangebyscore<T extends unknown[] = StoredList<K, string[]>, WithScores extends boolean = false>(
    key: Key,
    max: ScoreBound,
    min: ScoreBound,
    opts?: ScoresOption<WithScores> & OptionalRangeLimit,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns each member with its score after it. */
  zrevrangebyscore<T extends unknown[] = never>(
    key: Key,
    max: ScoreBound,
    min: ScoreBound,
    ...opts: IfNamed<T, [opts: ScoresOption & OptionalRangeLimit]>
  ): Reply<K, ScoredMembers<T>>;
  /** Returns a member's rank from the highest, beginning with 0, or null; with `withScore` rank and score. */
  zrevrank<T = unknown, Tag = never>(key: Key, member: StorableValue<K, T, Tag>): Reply<K, number | null>;
  /** Returns a member's rank from the highest, and its score. */
  zrevrank<T = unknown, Tag = never>(
    key: Key,
    member: StorableValue<K, T, Tag>,
    opts: { withScore: true },
  ): Reply<K, [rank: number, score: number] | null>;
  /** Returns the next cursor, "0" at the end, and a page of alternating members and scores. */
  zscan<T = Stored<K, string | number>>(
    key: Key,
    cursor: string | number,
    opts?: CollectionScanOptions,
  ): Reply<K, [cursor: string, membersAndScores: (T | number)[]]>;
  /** Returns a member's score, or null. */
  zscore<T = unknown, Tag = never>(key: Key, member: StorableValue<K, T, Tag>): Reply<K, number | null>;
  /** Returns the members that are in any of the sets; with scores, each after its member. */
  zunion<T extends unknown[] = StoredList<K, any>, WithScores extends boolean = false>(
    numKeys: number,
    keys: Key | Key[],
    opts?: ZUnionCommandOptions<WithScores>,
  ): Reply<K, MaybeScoredMembers<T, WithScores>>;
  /** Returns each member with its score after it. */
  zunion<T extends unknown[] = never>(
    numKeys: number,
    keys: Key | Key[],
    ...opts: IfNamed<T, [opts: ZUnionCommandOptions]>
  ): Reply<K, ScoredMembers<T>>;
  /** Stores the result of zunion. Returns its number of members. */
  zunionstore(
    destination: Key,
    numKeys: number,
    keys: Key | Key[],
    opts?: ZUnionStoreCommandOptions,
  ): Reply<K, number>;
}

export default defineCommands(() => {
  const adding = options("nx? xx? gt? lt? ch? incr?");

  // Not every server accepts "Infinity" as a score.
  const score: ArgEncoder = (out, arg, encode) =>
    scalar(out, arg === Infinity ? "inf" : arg === -Infinity ? "-inf" : arg, encode);

  const scoreMember = options("score!= member!:=", { score });

  const ranging = sequence(options("byScore? byLex? rev?"), limit, options("withScores?"));
  const combining = options("weights* weight=WEIGHTS aggregate withScores?");

  const members = list(value);
  const scored = alternating(value, float);

  const popped = orNull(tuple(text, value, float));
  const poppedMany = orNull(tuple(text, list(tuple(value, float))));
  const rank = read(
    orNull(when(2, "withScore", tuple(int, float), int)),
    scalar,
    stored,
    options("withScore?"),
  );
  const byScore = read(when(3, "withScores", scored, members), scalar, scalar, scalar, ranging);
  const byLex = read(members, scalar, scalar, scalar, limit);
  const between = [scalar, scalar, scalar];
  const combined = read(when(2, "withScores", scored, members), scalar, scalars, combining);
  const storeCombined = write(int, scalar, scalar, scalars, combining);
  const pop = write(scored, scalar, optional(scalar));

  return {
    bzmpop: write(poppedMany, scalar, scalar, scalars, scalar, optionalCount),
    bzpopmax: write(popped, scalars, scalar),
    bzpopmin: write(popped, scalars, scalar),
    zadd: write(orNull(float), scalar, optionsOr(adding, scoreMember), rest(scoreMember, 0)),
    zcard: read(int, scalar),
    zcount: read(int, ...between),
    zdiff: combined,
    zdiffstore: write(int, scalar, scalar, rest(scalars)),
    zincrby: write(float, scalar, scalar, stored),
    zinter: combined,
    zintercard: read(int, counted, options("limit")),
    zinterstore: storeCombined,
    zlexcount: read(int, ...between),
    zmpop: write(poppedMany, scalar, scalars, scalar, optionalCount),
    zmscore: read(list(orNull(float)), scalar, storedEach),
    zpopmax: pop,
    zpopmin: pop,
    zrandmember: read(
      when(2, undefined, scored, oneOrMany(value)),
      scalar,
      optional(scalar),
      flag("WITHSCORES"),
    ),
    zrange: byScore,
    zrangebylex: byLex,
    zrangebyscore: byScore,
    zrangestore: write(int, scalar, ...between, ranging),
    zrank: rank,
    zrem: write(int, scalar, rest(stored)),
    zremrangebylex: write(int, ...between),
    zremrangebyrank: write(int, ...between),
    zremrangebyscore: write(int, ...between),
    zrevrange: byScore,
    zrevrangebylex: byLex,
    zrevrangebyscore: byScore,
    zrevrank: rank,
    zscan: read(tuple(text, scored), scalar, scalar, options("match count")),
    zscore: read(orNull(float), scalar, stored),
    zunion: combined,
    zunionstore: storeCombined,
  };
}) satisfies () => Record<keyof SortedSetCommands<ReplyMode>, unknown>;
