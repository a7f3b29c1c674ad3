import type { ReplyMode } from "./reply-mode.js";

/** The parts of `T` that can be stored as JSON, text or bytes. In place of the others, a sentence that the compiler shows. */
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
 * What the compiler infers `Tag` from: values of functions, and of classes that have no form as JSON, have one of these types.
 * @internal
 */
export type Suspect<Tag> =
  | { readonly [Symbol.toStringTag]: Tag }
  | ((...args: never) => Tag)
  | (abstract new (
      ...args: never
    ) => Tag);

/**
 * `T`, which the compiler infers from here only if it finds nothing to infer it from elsewhere.
 * @internal
 */
export type Uninferred<T, Tag> = T & ([Mark] extends [Tag] ? never : unknown);

/**
 * Whether the codec is one of the client's own, by the type of stored values. Functions of the user's may store anything.
 * @internal
 */
export type IsOwn<Codec> = unknown extends Codec
  ? 0 extends 1 & Codec
    ? false
    : true
  : [Codec] extends [string | Uint8Array]
    ? true
    : false;

/**
 * A value to store, of type `T`. What can't be stored is refused by the compiler, as far as it can without refusing values of
 * a type parameter of the caller's, of which it knows nothing: a condition on `T` would do so.
 *
 * Hence the condition is one on `Tag`, which the compiler infers from values that may not be storable, and which is never
 * otherwise. `Tag` is never a `Mark`: of this branch the compiler only infers, `T` without undefined among others.
 */
export type StorableValue<K extends ReplyMode, T, Tag> = [Tag] extends [never]
  ? Uninferred<T, Tag>
  : [Tag] extends [Mark]
    ? Suspect<Tag> | T | undefined
    : IsOwn<K["stored"]> extends true
      ? Storable<Uninferred<T, Tag>>
      : Uninferred<T, Tag>;

/** A value in an object of several. It may be undefined, as an optional property is. */
export type StorableField<K extends ReplyMode, T, Tag> = [Tag] extends [never]
  ? T
  : [Tag] extends [Mark]
    ? Suspect<Tag>
    : IsOwn<K["stored"]> extends true
      ? Storable<T>
      : T;

/** An object that may have a member to store. */
export type StorableMember<K extends ReplyMode, O, Tag> = [Tag] extends [never]
  ? O
  : [Tag] extends [Mark]
    ? { member: Suspect<Tag> }
    : O extends { member: infer T }
      ? O & { member: StorableField<K, T, Tag> }
      : O;
