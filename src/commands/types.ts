import type { Key } from "./reply-mode.js";

/**
 * An object with at most one of the properties of `T`.
 * @typeParam Reason a sentence that the compiler shows where a second one is given.
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

/** Whether `A` becomes `B` by at most as many letters put in, left out or changed as `Edits` is long. */
type IsNear<A extends string, B extends string, Edits extends unknown[]> = A extends B
  ? true
  : First<A> extends First<B>
    ? IsNear<Rest<A>, Rest<B>, Edits>
    : Edits extends [unknown, ...infer Left]
      ? true extends IsNear<Rest<A>, B, Left> | IsNear<A, Rest<B>, Left> | IsNear<Rest<A>, Rest<B>, Left>
        ? true
        : false
      : false;

/** Those of the names `Known` that `Name` was probably meant to be. */
type Nearest<Name extends string, Known, Edits extends unknown[]> = Known extends string
  ? true extends IsNear<Lowercase<Name>, Lowercase<Known>, Edits>
    ? Known
    : never
  : never;

/**
 * The names with the fewest differences from `Name`, up to two.
 * @internal
 */
export type Meant<Name extends string, Known, Edits extends unknown[] = []> = [
  Nearest<Name, Known, Edits>,
] extends [never]
  ? Edits extends [unknown, unknown]
    ? never
    : Meant<Name, Known, [...Edits, unknown]>
  : Nearest<Name, Known, Edits>;

/** In place of an option that the command does not have: a sentence that no value is, with the names that were probably meant. */
export type UnknownOption<Name, Known> = Name extends string
  ? [Meant<Name, Known>] extends [never]
    ? `unknown option ${Name}`
    : `unknown option ${Name}: did you mean ${Meant<Name, Known>}?`
  : never;

/** The names of all options, where `Options` is a union. */
export type NamesOf<Options> = Options extends unknown ? keyof Options : never;

/**
 * A sentence of the compiler for each property of `O` that is not among `Options`.
 * @typeParam Suggested the options that one of them may have been meant to be.
 */
export type OnlyKnown<O, Options, Suggested = Options> = {
  [P in Exclude<keyof O, NamesOf<Options>>]: UnknownOption<P, NamesOf<Suggested>>;
};

/** Beside the options `O`: all that there are, which an editor shows for a call that has none yet. */
export type IfNone<O, Options> = [keyof O] extends [never] ? Options : never;

/** `Then` if one of the named options may be true, else `Otherwise`. */
export type IfGiven<O, Names, Then, Otherwise = never> = [
  Exclude<O[keyof O & Names], false | undefined>,
] extends [never]
  ? Otherwise
  : Then;

/** Keys given one by one, at least one. A list of unknown length may be spread into them. */
export type OneOrMoreKeys<Given extends Key[]> = Given extends [] ? [key: Key] : Given;

/** A member or options before it, where `First` is what is given. */
export type MemberOr<First, Member, Options> =
  | (Member & OnlyKnown<First, Member, Member | Options>)
  | (Options & OnlyKnown<First, Options, Member | Options>);

/** The members that follow a first one, or that follow options: then at least one. */
export type MembersAfter<First, Member> = First extends { member: unknown }
  ? Member[]
  : [member: Member, ...members: Member[]];

/**
 * The result of a command that returns several stored values: `T[]`, or `T` where the caller names an array type, as
 * with @upstash/redis. An annotation such as `string[] | null` counts as its items.
 */
export type SeveralValues<T> = [T] extends [readonly unknown[]]
  ? T
  : Extract<T, readonly unknown[]> | Exclude<T, readonly unknown[] | null>[];

/** A member taken out of a sorted set and its score, or an empty array if there is none. */
export type PoppedMember<T> = [member: T, score: number] | never[];

/** Members and scores in turn, in one array: the array type `T`, with numbers where it has none. */
export type ScoredMembers<T extends readonly unknown[]> = number extends T[number]
  ? T
  : (T[number] | number)[];

/** The result `T`, with scores in it if the options say so. They may be there if the options leave it open. */
export type MaybeScoredMembers<T extends readonly unknown[], WithScores> = WithScores extends true
  ? ScoredMembers<T>
  : T;

/**
 * The last arguments of an overload for calls that name a type, which then fixes all type parameters: the compiler can't
 * derive the others from the arguments. No other call has as many arguments.
 */
export type IfNamed<T, Args extends unknown[]> = [T] extends [never] ? [never, never, never, never] : Args;

/** A reply that is not decoded further: names, numbers and null, in arrays of any depth. */
export type NestedReply = string | number | null | NestedReply[];

/** When to change a time to live: only without one, only with one, only to a later, only to an earlier time. */
export type ExpireOption = "NX" | "nx" | "XX" | "xx" | "GT" | "gt" | "LT" | "lt";

/** A key's time to live, or the time at which it ends. */
export interface Expiration {
  /** Time to live in seconds. */
  ex: number;
  /** Time to live in milliseconds. */
  px: number;
  /** When the key ends, in seconds since 1970. */
  exat: number;
  /** When the key ends, in milliseconds since 1970. */
  pxat: number;
}

/** A time to live, or none from now on. */
export interface ExpirationOrPersist extends Expiration {
  /** Removes the time to live. */
  persist: boolean;
}

/** A time to live, or the one that the key has. */
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

/** How far a command counts. */
export interface CountLimitOption {
  /** Number to count up to, 0 for all. */
  limit?: number | undefined;
}

/** Filters of hscan, sscan and zscan. */
export type CollectionScanOptions = Pick<ScanCommandOptions, "match" | "count">;
