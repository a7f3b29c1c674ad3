import { InvalidArgument } from "../protocol/args.js";
import {
  type ArgEncoder,
  counting,
  either,
  flag,
  json,
  optional,
  options,
  prefixed,
  scalar,
  stored,
} from "./args.js";
import {
  alternating,
  float,
  int,
  list,
  nestedText,
  object,
  oneOrMany,
  orNull,
  type Part,
  records,
  selectParts,
  value,
  when,
} from "./decoders.js";
import { defineCommands, read, reordered, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { Decoder } from "./spec.js";
import type { StorableValue } from "./storable.js";
import type { IfGiven, IfNamed, IfNone, MaybeScoredMembers, OnlyKnown, SeveralValues } from "./types.js";

/** A vector. All vectors of a set have the same length. */
export type Vector = readonly number[] | Float32Array | Float64Array;

/** Options of vadd. */
export interface VAddOptions {
  /** Number of dimensions to project the vector down to. */
  reduce?: number | undefined;
  /** Does a part of the work in another thread of the server. */
  cas?: boolean | undefined;
  /** The quantization of vectors. Default "Q8", or that of the set. */
  quantization?: "NOQUANT" | "Q8" | "BIN" | undefined;
  /** Number of candidates when neighbours are searched. Default 200. */
  ef?: number | undefined;
  /** JSON that a search may filter by. */
  setAttr?: Record<string, unknown> | string | undefined;
  /** Maximum number of links of an element, twice as many in the lowest layer. Default 16. */
  m?: number | undefined;
}

/** Search parameters of vsim, and the form of its result. */
export interface VSimOptions {
  /** Returns the similarity of each element, from 0 to 1. */
  withScores?: boolean | undefined;
  /** Returns the attributes of each element. */
  withAttribs?: boolean | undefined;
  /** The maximum number of elements. Default 10. */
  count?: number | undefined;
  /** Maximum distance, from 0 to 1. */
  epsilon?: number | undefined;
  /** Number of candidates to look at: more find better matches. */
  ef?: number | undefined;
  /** An expression on attributes, such as `.year > 1950`. */
  filter?: string | undefined;
  /** Maximum number of elements that the filter checks. */
  filterEf?: number | undefined;
  /** Compares every element. */
  truth?: boolean | undefined;
  /** Searches in the server's main thread. */
  noThread?: boolean | undefined;
}

/** An element, with the values that the options request. */
export type VSimMatch<T, O> = { element: T } & (O extends { withScores: true }
  ? { score: number }
  : { score?: number }) &
  (O extends { withAttribs: true } ? { attributes: any } : { attributes?: any });

/** Elements, or objects if scores or attributes are requested. */
export type VSimResult<T, O> = O extends { withScores: true } | { withAttribs: true }
  ? VSimMatch<T, O>[]
  : T[] | IfGiven<O, "withScores" | "withAttribs", VSimMatch<T, O>[]>;

/** Commands on vector sets. */
export interface VectorSetCommands<K extends ReplyMode> {
  /** Adds an element or sets its vector. Returns 1 if it is new, else 0. */
  vadd<T = unknown, Tag = never>(
    key: Key,
    vector: Vector,
    element: StorableValue<K, T, Tag>,
    opts?: VAddOptions,
  ): Reply<K, 0 | 1>;
  /** Returns how many elements there are. */
  vcard(key: Key): Reply<K, number>;
  /** Returns how many dimensions the vectors have. */
  vdim(key: Key): Reply<K, number>;
  /** Returns an element's vector, without the precision lost in storage, or null. */
  vemb<T = unknown>(key: Key, element: T): Reply<K, number[] | null>;
  /** Returns an element's attributes, or null. */
  vgetattr<T = Stored<K, any>>(key: Key, element: unknown): Reply<K, T | null>;
  /** Returns facts about the set, under Redis's names for them, or null if the key does not exist. */
  vinfo(key: Key): Reply<K, Record<string, string | number> | null>;
  /** Returns 1 if the set has the element, else 0. */
  vismember<T = unknown>(key: Key, element: T): Reply<K, 0 | 1>;
  /** Returns an element's neighbours, layer by layer; with scores, each after its neighbour. */
  vlinks<T = Stored<K, string>, WithScores extends boolean = false>(
    key: Key,
    element: unknown,
    withScores?: WithScores,
  ): Reply<K, MaybeScoredMembers<T[], WithScores>[] | null>;
  /** Returns an element's neighbours, each with its score after it. */
  vlinks<T = never>(
    key: Key,
    element: unknown,
    ...withScores: IfNamed<T, [withScores: boolean]>
  ): Reply<K, (T | number)[][] | null>;
  /** Returns a random element, or null if the set does not exist. */
  vrandmember<T = Stored<K, string>>(key: Key): Reply<K, T | null>;
  /** Returns up to `count` random elements. With a negative count, elements may repeat. */
  vrandmember<T = Stored<K, string>>(key: Key, count: number): Reply<K, SeveralValues<T>>;
  /** Returns a random element, or up to `count` of them. */
  vrandmember<T = Stored<K, string>>(
    key: Key,
    count: number | undefined,
  ): Reply<K, T | SeveralValues<T> | null>;
  /** Returns elements by name. Bounds are "[" or "(" and a name, included or not; "-" and "+" are the ends. */
  vrange<T = Stored<K, string>>(key: Key, start: string, end: string, count?: number): Reply<K, T[]>;
  /** Removes an element. Returns 1 if it was there, else 0. */
  vrem<T = unknown>(key: Key, element: T): Reply<K, 0 | 1>;
  /** Sets an element's attributes; "" removes them. Returns 1, or 0 if the element does not exist. */
  vsetattr<T = unknown>(key: Key, element: T, attributes: Record<string, unknown> | string): Reply<K, 0 | 1>;
  /** Returns the elements most similar to a vector or to an element. */
  vsim<T = Stored<K, string>>(key: Key, query: Vector | { element: unknown }): Reply<K, T[]>;
  /** Returns similar elements, as the options say; with scores or attributes as objects. */
  vsim<T = Stored<K, string>, O extends VSimOptions & OnlyKnown<O, VSimOptions> = VSimOptions>(
    key: Key,
    query: Vector | { element: unknown },
    opts: O | IfNone<O, VSimOptions> | undefined,
  ): Reply<K, VSimResult<T, O>>;
}

export default defineCommands(() => {
  const numbers: ArgEncoder = (out, arg, encode) => {
    for (const number of arg) {
      if (typeof number !== "number") throw new InvalidArgument("is not a vector of numbers");
      scalar(out, number, encode);
    }
  };
  const vector = either(
    // By its tag: `instanceof` fails for an array of another realm.
    (arg) => Array.isArray(arg) || /^Float(32|64)Array$/.test(arg?.[Symbol.toStringTag]),
    prefixed("VALUES", counting(numbers)),
    options("element!:=ELE"),
  );

  const adding = options("cas? quantization= ef setAttr m", { setAttr: json });
  const searching = options(
    "withScores? withAttribs? count epsilon ef filter filterEf=FILTER-EF truth? noThread?",
  );

  const elements = list(value);

  const SIMILAR: Part[] = [
    ["element", value],
    ["score", float, "withScores"],
    ["attributes", orNull(value), "withAttribs"],
  ];

  const similar: Decoder = (reply, decode, args) => {
    const parts = selectParts(args[2], SIMILAR);
    return (Object.keys(parts).length > 1 ? records(parts) : elements)(reply, decode, args);
  };

  return {
    vadd: reordered([0, 3, 1, 2, 3], write(int, scalar, options("reduce"), vector, stored, adding)),
    vcard: read(int, scalar),
    vdim: read(int, scalar),
    vemb: read(orNull(list(float)), scalar, stored),
    vgetattr: read(orNull(value), scalar, stored),
    vinfo: read(orNull(object(nestedText)), scalar),
    vismember: read(int, scalar, stored),
    vlinks: read(
      orNull(list(when(2, undefined, alternating(value, float), elements))),
      scalar,
      stored,
      flag("WITHSCORES"),
    ),
    vrandmember: read(oneOrMany(value), scalar, optional(scalar)),
    vrange: read(elements, scalar, scalar, scalar, optional(scalar)),
    vrem: write(int, scalar, stored),
    vsetattr: write(int, scalar, stored, json),
    vsim: read(similar, scalar, vector, searching),
  };
}) satisfies () => Record<keyof VectorSetCommands<ReplyMode>, unknown>;
