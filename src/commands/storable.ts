import type { ReplyMode } from "./reply-mode.js";

/** `T` if it can be stored as JSON, text or bytes. Members of a union that can't be stored become messages for the compiler. */
export type Storable<T> =
  T extends PromiseLike<unknown>
    ? "a promise can't be stored: is an await missing?"
    : T extends symbol
      ? "a symbol can't be stored"
      : T extends ((...args: never) => unknown) | (abstract new (...args: never) => unknown)
        ? "a function can't be stored"
        : T extends ReadonlyMap<unknown, unknown>
          ? "a Map can't be stored: Object.fromEntries(map) can"
          : T extends ReadonlySet<unknown>
            ? "a Set can't be stored: [...set] can"
            : T;

declare const MARK: unique symbol;
/**
 * A type that no value has.
 * @internal
 */
export type Mark = typeof MARK;

/**
 * Types that may not be storable: functions, classes and objects with a `toStringTag`. The compiler infers `Tag` from them.
 * @internal
 */
export type Suspect<Tag> =
  | { readonly [Symbol.toStringTag]: Tag }
  | ((...args: never) => Tag)
  | (abstract new (
      ...args: never
    ) => Tag);

/**
 * `T`. The compiler infers it from here only if no other place determines it.
 * @internal
 */
export type Uninferred<T, Tag> = T & ([Mark] extends [Tag] ? never : unknown);

/**
 * Whether the type of the codec's values is that of a built-in codec. A user's codec may store anything.
 * @internal
 */
export type IsBuiltInCodec<Codec> = unknown extends Codec
  ? 0 extends 1 & Codec
    ? false
    : true
  : [Codec] extends [string | Uint8Array]
    ? true
    : false;

/**
 * A value to store, of type `T`. The compiler refuses types that can't be stored.
 *
 * A condition on `T` would also refuse values whose type is a type parameter of the caller. So the condition is on `Tag`, which
 * the compiler infers from suspect values, and which is never for all others. `Tag` is never a `Mark`: that branch exists for
 * inference alone.
 */
export type StorableValue<K extends ReplyMode, T, Tag> = [Tag] extends [never]
  ? Uninferred<T, Tag>
  : [Tag] extends [Mark]
    ? Suspect<Tag> | T | undefined
    : IsBuiltInCodec<K["stored"]> extends true
      ? Storable<Uninferred<T, Tag>>
      : Uninferred<T, Tag>;

/** A value in an object of values to store. It may be undefined, like an optional property. */
export type StorableField<K extends ReplyMode, T, Tag> = [Tag] extends [never]
  ? T
  : [Tag] extends [Mark]
    ? Suspect<Tag>
    : IsBuiltInCodec<K["stored"]> extends true
      ? Storable<T>
      : T;

/** An object whose property `member`, if present, is a value to store. */
export type StorableMember<K extends ReplyMode, O, Tag> = [Tag] extends [never]
  ? O
  : [Tag] extends [Mark]
    ? { member: Suspect<Tag> }
    : O extends { member: infer T }
      ? O & { member: StorableField<K, T, Tag> }
      : O;
