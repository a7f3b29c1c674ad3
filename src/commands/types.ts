import type { Key } from "./reply-mode.js";

/**
 * An object with at most one of the properties of `T`.
 * @typeParam Reason the compiler's message if a second property is given.
 */
export type AtMostOne<T, Reason extends string | undefined = undefined> = {
  [Chosen in keyof T]: { [P in Chosen]?: T[P] | undefined } & {
    [P in Exclude<keyof T, Chosen>]?: Reason | undefined;
  };
}[keyof T];

/** The first letter. */
type First<Text extends string> = Text extends `${infer Letter}${string}` ? Letter : "";
/** The letters after the first. */
type Rest<Text extends string> = Text extends `${string}${infer Letters}` ? Letters : never;

/** Whether the edit distance between `A` and `B` is at most the length of `Edits`. */
type IsNear<A extends string, B extends string, Edits extends unknown[]> = A extends B
  ? true
  : First<A> extends First<B>
    ? IsNear<Rest<A>, Rest<B>, Edits>
    : Edits extends [unknown, ...infer Left]
      ? true extends IsNear<Rest<A>, B, Left> | IsNear<A, Rest<B>, Left> | IsNear<Rest<A>, Rest<B>, Left>
        ? true
        : false
      : false;

/** The names in `Known` within the edit distance `Edits` of `Name`, in any case. */
type Nearest<Name extends string, Known, Edits extends unknown[]> = Known extends string
  ? true extends IsNear<Lowercase<Name>, Lowercase<Known>, Edits>
    ? Known
    : never
  : never;

/**
 * The names with the smallest edit distance from `Name`, at most 2.
 * @internal
 */
export type Meant<Name extends string, Known, Edits extends unknown[] = []> = [
  Nearest<Name, Known, Edits>,
] extends [never]
  ? Edits extends [unknown, unknown]
    ? never
    : Meant<Name, Known, [...Edits, unknown]>
  : Nearest<Name, Known, Edits>;

/** The type of an option that a command does not have: a message for the compiler to show, with similar names. */
export type UnknownOption<Name, Known> = Name extends string
  ? [Meant<Name, Known>] extends [never]
    ? `unknown option ${Name}`
    : `unknown option ${Name}: did you mean ${Meant<Name, Known>}?`
  : never;

/** The names of all options, where `Options` is a union. */
export type NamesOf<Options> = Options extends unknown ? keyof Options : never;

/**
 * The type of each property of `O` that is not in `Options`: a message for the compiler to show.
 * @typeParam Suggested options whose names the message may suggest.
 */
export type OnlyKnown<O, Options, Suggested = Options> = {
  [P in Exclude<keyof O, NamesOf<Options>>]: UnknownOption<P, NamesOf<Suggested>>;
};

/** `Options` if `O` is empty. In a union with `O`, it lets editors complete the names of options. */
export type IfNone<O, Options> = [keyof O] extends [never] ? Options : never;

/** `Then` if one of the named options may be true, else `Otherwise`. */
export type IfGiven<O, Names, Then, Otherwise = never> = [
  Exclude<O[keyof O & Names], false | undefined>,
] extends [never]
  ? Otherwise
  : Then;

/** At least one key, as separate arguments. An array of unknown length may be spread. */
export type OneOrMoreKeys<Given extends Key[]> = Given extends [] ? [key: Key] : Given;

/** An argument that is a member, or options before the members. `First` is its inferred type. */
export type MemberOr<First, Member, Options> =
  | (Member & OnlyKnown<First, Member, Member | Options>)
  | (Options & OnlyKnown<First, Options, Member | Options>);

/** The members after the first argument. If that argument is options, there is at least one member. */
export type MembersAfter<First, Member> = First extends { member: unknown }
  ? Member[]
  : [member: Member, ...members: Member[]];

/**
 * The result of a command that returns several stored values: `T[]`, or `T` if the caller names an array type, as for
 * @upstash/redis. A type inferred from an annotation may contain null: `string[] | null` counts as `string[]`.
 */
export type SeveralValues<T> = [T] extends [readonly unknown[]]
  ? T
  : Extract<T, readonly unknown[]> | Exclude<T, readonly unknown[] | null>[];

/** A removed member and its score, or an empty array if the sorted set is empty. */
export type PoppedMember<T> = [member: T, score: number] | never[];

/** Alternating members and scores in one array: `T`, whose items may also be numbers. */
export type ScoredMembers<T extends readonly unknown[]> = number extends T[number]
  ? T
  : (T[number] | number)[];

/** `T`, with scores if `WithScores` is true. If it is boolean, both are possible. */
export type MaybeScoredMembers<T extends readonly unknown[], WithScores> = WithScores extends true
  ? ScoredMembers<T>
  : T;

/** `Args`, the last parameters of an overload for calls that name `T`. For other calls, four of type never, which no call has. */
export type IfNamed<T, Args extends unknown[]> = [T] extends [never] ? [never, never, never, never] : Args;

/** A reply that is not decoded further: names, numbers and null, in arrays of any depth. */
export type NestedReply = string | number | null | NestedReply[];

/** Condition for a new time to live: the key has none (NX), has one (XX), or the new one is later (GT) or earlier (LT). */
export type ExpireOption = "NX" | "nx" | "XX" | "xx" | "GT" | "gt" | "LT" | "lt";

/** A key's time to live, or the time at which it expires. */
export interface Expiration {
  /** Time to live in seconds. */
  ex: number;
  /** Time to live in milliseconds. */
  px: number;
  /** When the key expires, in seconds since 1970. */
  exat: number;
  /** When the key expires, in milliseconds since 1970. */
  pxat: number;
}

/** A time to live, or its removal. */
export interface ExpirationOrPersist extends Expiration {
  /** Removes the time to live. */
  persist: boolean;
}

/** A new time to live, or the existing one. */
export interface ExpirationOrKeepTtl extends Expiration {
  /** Keeps the key's time to live. */
  keepTtl: boolean;
}

/** Whether keys must be new, or must exist. */
export interface ExistenceCondition {
  /** Only if the key does not exist. */
  nx: boolean;
  /** Only if the key exists. */
  xx: boolean;
}

/** Filters of scan, and whether it returns the types of keys. */
export interface ScanCommandOptions<WithType extends boolean = boolean> {
  /** A glob pattern of names. */
  match?: string | undefined;
  /** Number of keys to look at in one call, a hint. Default 10. */
  count?: number | undefined;
  /** Only keys of this type, such as `"hash"`. */
  type?: string | undefined;
  /** Returns each key's type with it. Upstash only. */
  withType?: WithType | undefined;
}

/** Upper limit of a count. */
export interface CountLimitOption {
  /** Number at which the count stops, 0 for no limit. */
  limit?: number | undefined;
}

/** Filters of hscan, sscan and zscan. */
export type CollectionScanOptions = Pick<ScanCommandOptions, "match" | "count">;
