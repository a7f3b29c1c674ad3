import {
  type ArgEncoder,
  array,
  counted,
  counting,
  either,
  limit,
  options,
  prefixed,
  reading,
  record,
  rest,
  scalar,
  scalars,
  sequence,
} from "../args.js";
import {
  float,
  int,
  list,
  nested,
  nestedText,
  object,
  orNull,
  type Part,
  records,
  selectParts,
  text,
  tuple,
  value,
} from "../decoders.js";
import { named, read, reordered, write, writeIf } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import type { Decoder } from "../spec.js";
import type { NestedReply } from "../types.js";
import { type Facts, facts } from "./shared.js";

/** Settings of a field of any type. */
export interface FieldOptions {
  /** The name in queries. */
  as?: string | undefined;
  /** Allows sorting results by the field. */
  sortable?: boolean | undefined;
  /** Sorts by the value as it is written, without normalizing it. */
  unf?: boolean | undefined;
  /** Stores the field without indexing it. */
  noIndex?: boolean | undefined;
  /** Allows searching for documents without the field. */
  indexMissing?: boolean | undefined;
}

/** A field of an index, or a path in JSON documents. */
export type SearchField = FieldOptions &
  (
    | {
        type: "TEXT";
        weight?: number | undefined;
        noStem?: boolean | undefined;
        phonetic?: string | undefined;
        withSuffixTrie?: boolean | undefined;
        indexEmpty?: boolean | undefined;
      }
    | {
        type: "TAG";
        separator?: string | undefined;
        caseSensitive?: boolean | undefined;
        withSuffixTrie?: boolean | undefined;
        indexEmpty?: boolean | undefined;
      }
    | { type: "NUMERIC" }
    | { type: "GEO" }
    | { type: "GEOSHAPE"; coordSystem?: "FLAT" | "SPHERICAL" | undefined }
    | {
        type: "VECTOR";
        algorithm: "FLAT" | "HNSW" | (string & {});
        /** Attributes such as `{ TYPE: "FLOAT32", DIM: 128, DISTANCE_METRIC: "COSINE" }`. */
        attributes: Record<string, string | number>;
      }
  );

/** The fields of an index. */
export type SearchSchema = Record<string, SearchField>;

/** Settings of alter and synupdate. */
export interface AlterOptions {
  /** Only indexes new documents. */
  skipInitialScan?: boolean | undefined;
}

/** Settings of an index. */
export interface CreateIndexOptions extends AlterOptions {
  /** Type of the keys that are indexed. Default "HASH". */
  on?: "HASH" | "JSON" | undefined;
  /** Prefixes of the keys that are indexed. Default all keys. */
  prefix?: string | string[] | undefined;
  /** An expression: only documents for which it is true are indexed. */
  filter?: string | undefined;
  /** Language of the documents, for stemming. Default "english". */
  language?: string | undefined;
  /** Field that holds a document's language. */
  languageField?: string | undefined;
  /** Score of documents without one, from 0 to 1. Default 1. */
  score?: number | undefined;
  /** Field that holds a document's score. */
  scoreField?: string | undefined;
  /** Allows more than 32 text fields. */
  maxTextFields?: boolean | undefined;
  /** Time in seconds without use after which the index is removed. */
  temporary?: number | undefined;
  /** Stores no positions of terms: no exact phrases, no highlighting. */
  noOffsets?: boolean | undefined;
  /** Stores nothing for highlighting. */
  noHl?: boolean | undefined;
  /** Stores no fields of terms: no search by field. */
  noFields?: boolean | undefined;
  /** Stores no frequencies of terms. */
  noFreqs?: boolean | undefined;
  /** Words that are not indexed; an empty array for none. */
  stopwords?: string[] | undefined;
}

/** Settings of explain and explaincli. */
export interface ExplainOptions {
  /** Number of the query dialect. */
  dialect?: number | undefined;
}

/** Settings of a query. */
export interface QueryOptions extends ExplainOptions {
  /** Searches for words as they are, without stemming. */
  verbatim?: boolean | undefined;
  /** Timeout of the query in milliseconds. */
  timeout?: number | undefined;
  /** Values of `$name` in the query. */
  params?: Record<string, string | number | Uint8Array> | undefined;
}

/** Settings of a search. */
export interface SearchOptions extends QueryOptions {
  /** Returns the keys alone. */
  noContent?: boolean | undefined;
  /** Searches for stopwords too. */
  noStopwords?: boolean | undefined;
  /** Returns each document's score. */
  withScores?: boolean | undefined;
  /** Only documents under these keys. */
  inKeys?: Key[] | undefined;
  /** Searches these fields alone. */
  inFields?: string[] | undefined;
  /** Returns these fields; a pair returns a field under another name. */
  return?: (string | [field: string, as: string])[] | undefined;
  /** Returns parts of fields around the words found: `frags` parts of `len` words. */
  summarize?:
    | {
        fields?: string[] | undefined;
        frags?: number | undefined;
        len?: number | undefined;
        separator?: string | undefined;
      }
    | undefined;
  /** Puts tags around the words found. */
  highlight?: { fields?: string[] | undefined; tags?: [open: string, close: string] | undefined } | undefined;
  /** Maximum number of other words between the words of the query. */
  slop?: number | undefined;
  /** Requires the order of the query's words. */
  inOrder?: boolean | undefined;
  /** Language of the query, for stemming. */
  language?: string | undefined;
  /** Function that scores documents, such as "BM25". */
  scorer?: string | undefined;
  /** Field that results are sorted by. */
  sortBy?: { field: string; order?: "ASC" | "DESC" | undefined } | undefined;
  /** The number of results to skip, and the maximum number to return. Default 10. */
  limit?: { offset: number; count: number } | undefined;
}

/** The documents that a search found. */
export interface SearchResult<T> {
  /** Number of documents that match, returned here or not. */
  total: number;
  /** The documents, each with its key. */
  documents: { id: string; score?: number; fields?: T | null }[];
}

/** A step of an aggregation. */
export type AggregateStep =
  | {
      groupBy: string[];
      reduce?:
        | { function: string; args?: (string | number)[] | undefined; as?: string | undefined }[]
        | undefined;
    }
  | { sortBy: (string | [field: string, order: "ASC" | "DESC"])[]; max?: number | undefined }
  | { apply: string; as: string }
  | { filter: string }
  | { limit: { offset: number; count: number } };

/** Settings of an aggregation. */
export interface AggregateOptions extends QueryOptions {
  /** Loads these fields, or all. */
  load?: string[] | "*" | undefined;
  /** Steps of the aggregation, in order. */
  steps?: AggregateStep[] | undefined;
  /** Returns the rows by a cursor, `count` at a time. The cursor expires after `maxIdle` milliseconds without a read. */
  cursor?: { count?: number | undefined; maxIdle?: number | undefined } | undefined;
}

/** The rows, and the next cursor if one was requested. The client's codec decodes the values. */
export interface AggregateResult {
  /** The rows, each by the names of its fields. */
  rows: Record<string, any>[];
  /** The next cursor, 0 at the end. */
  cursor?: number | undefined;
}

/** Settings of spellcheck. */
export interface SpellcheckOptions extends ExplainOptions {
  /** Maximum number of changed letters, from 1 to 4. Default 1. */
  distance?: number | undefined;
  /** Dictionary of words to suggest. */
  include?: string | undefined;
  /** Dictionary of words not to suggest. */
  exclude?: string | undefined;
}

/** Settings of sugadd. */
export interface SuggestionAddOptions {
  /** Adds to the suggestion's score. */
  incr?: boolean | undefined;
  /** Text that is stored with the suggestion. */
  payload?: string | undefined;
}

/** Settings of sugget. */
export interface SuggestionGetOptions {
  /** Also finds suggestions that differ in a letter. */
  fuzzy?: boolean | undefined;
  /** Returns each suggestion's score. */
  withScores?: boolean | undefined;
  /** Returns each suggestion's payload. */
  withPayloads?: boolean | undefined;
  /** Maximum number of suggestions. Default 5. */
  max?: number | undefined;
}

/** Search, queries and aggregations over hashes and JSON documents. */
export interface SearchCommands<K extends ReplyMode> {
  /** Runs a query and aggregates its results. */
  aggregate(index: string, query: string, opts?: AggregateOptions): Reply<K, AggregateResult>;
  /** Adds an alias for an index. */
  aliasadd(alias: string, index: string): Reply<K, "OK">;
  /** Removes an alias. */
  aliasdel(alias: string): Reply<K, "OK">;
  /** Adds an alias for an index, taking it from any index that had it. */
  aliasupdate(alias: string, index: string): Reply<K, "OK">;
  /** Adds fields to an index. */
  alter(index: string, schema: SearchSchema, opts?: AlterOptions): Reply<K, "OK">;
  /** Creates an index. */
  create(index: string, schema: SearchSchema, opts?: CreateIndexOptions): Reply<K, "OK">;
  /** Ends a cursor. */
  cursorDel(index: string, cursor: number): Reply<K, "OK">;
  /** Returns the next rows of an aggregation, at most `count`. */
  cursorRead(index: string, cursor: number, opts?: { count?: number | undefined }): Reply<K, AggregateResult>;
  /** Adds terms to a dictionary. Returns how many are new. */
  dictadd(dictionary: string, ...terms: string[]): Reply<K, number>;
  /** Removes terms from a dictionary. Returns how many were removed. */
  dictdel(dictionary: string, ...terms: string[]): Reply<K, number>;
  /** Returns a dictionary's terms. */
  dictdump(dictionary: string): Reply<K, string[]>;
  /** Removes an index, with `dd` the documents too. */
  dropindex(index: string, opts?: { dd?: boolean | undefined }): Reply<K, "OK">;
  /** Returns the execution plan of a query, as text. */
  explain(index: string, query: string, opts?: ExplainOptions): Reply<K, string>;
  /** Returns the execution plan of a query, as lines. */
  explaincli(index: string, query: string, opts?: ExplainOptions): Reply<K, string[]>;
  /** Returns facts about an index, under Redis's names for them. */
  info(index: string): Reply<K, Facts>;
  /** Runs a search or an aggregation and returns how long its parts took, in Redis's own form; `limited` leaves out details. */
  profile(
    index: string,
    kind: "SEARCH" | "AGGREGATE",
    query: string,
    opts?: { limited?: boolean | undefined },
  ): Reply<K, NestedReply[]>;
  /** Returns the documents that match a query. */
  search<T extends object = Record<string, unknown>>(
    index: string,
    query: string,
    opts?: SearchOptions,
  ): Reply<K, SearchResult<T>>;
  /** Returns suggestions with scores for each unknown word of a query. */
  spellcheck(
    index: string,
    query: string,
    opts?: SpellcheckOptions,
  ): Reply<K, Record<string, [score: number, word: string][]>>;
  /** Adds a suggestion. Returns how many there are. */
  sugadd(key: Key, suggestion: string, score: number, opts?: SuggestionAddOptions): Reply<K, number>;
  /** Removes a suggestion. Returns 1 if it was there, else 0. */
  sugdel(key: Key, suggestion: string): Reply<K, 0 | 1>;
  /** Returns suggestions that begin with `prefix`. Each is followed by its score and its payload, if they are asked for. */
  sugget(key: Key, prefix: string, opts?: SuggestionGetOptions): Reply<K, (string | null)[] | null>;
  /** Returns how many suggestions there are. */
  suglen(key: Key): Reply<K, number>;
  /** Returns the groups of synonyms that each term is in. */
  syndump(index: string): Reply<K, Record<string, string[]>>;
  /** Adds terms to a group of synonyms. */
  synupdate(index: string, group: string, terms: string[], opts?: AlterOptions): Reply<K, "OK">;
  /** Returns the values of a tag field. */
  tagvals(index: string, field: string): Reply<K, string[]>;
}

const params = counting(record(scalar));

const schema = record(
  options(
    "as type= algorithm= weight noStem? phonetic separator caseSensitive? coordSystem= attributes= withSuffixTrie? indexEmpty? indexMissing? sortable? unf? noIndex?",
    { attributes: params },
  ),
);

const creating = options(
  "on prefix# filter language languageField=LANGUAGE_FIELD score scoreField=SCORE_FIELD maxTextFields? temporary noOffsets? noHl? noFields? noFreqs? stopwords# skipInitialScan?",
);

// A field with another name counts as three arguments.
const returning = counting(
  array((out, arg, encode) => {
    if (!Array.isArray(arg)) return scalar(out, arg, encode);
    scalar(out, arg[0], encode);
    prefixed("AS", scalar)(out, arg[1], encode);
  }),
);

const searching = options(
  "noContent? verbatim? noStopwords? withScores? inKeys# inFields# return summarize highlight slop inOrder? language scorer sortBy= limit= timeout params dialect",
  {
    return: returning,
    summarize: options("fields# frags len separator"),
    highlight: options("fields# tags*"),
    sortBy: options("field=SORTBY order="),
    limit,
    params,
  },
);

const reduce = array(
  sequence(
    options("function!=REDUCE"),
    reading("args", (out, { args = [] }, encode) => counted(out, args, encode)),
    options("as"),
  ),
);

const sortBy: ArgEncoder = (out, arg, encode) => counted(out, [arg].flat(2), encode);

const steps = array(options("groupBy# reduce= sortBy max apply as filter limit=", { reduce, sortBy, limit }));

const aggregating = options("verbatim? load timeout steps= cursor=WITHCURSOR params dialect", {
  load: either((arg) => arg === "*", scalar, counted),
  steps,
  cursor: options("count maxIdle"),
  params,
});

const DOCUMENT: Part[] = [
  ["id", text],
  ["score", float, "withScores"],
  ["fields", orNull(object(value)), "fields"],
];

const searched: Decoder = (reply, decode, args) => {
  const { withScores, noContent, return: returned } = args[2] ?? {};
  const [total, ...flat] = list((part) => part)(reply, decode, args);
  const parts = selectParts({ withScores, fields: !noContent && returned?.length !== 0 }, DOCUMENT);
  return { total: int(total), documents: records(parts)(flat, decode, args) };
};

// The first item of the reply is a count without meaning.
const decodeRows: Decoder = (...reply) =>
  list((row, ...context) => (Array.isArray(row) ? object(nested)(row, ...context) : int(row)))(
    ...reply,
  ).slice(1);

const aggregated: Decoder = (reply, decode, args) => {
  const [rows, cursor] = list((part) => part)(reply, decode, args);
  // With a cursor the rows are in a nested array.
  return Array.isArray(rows)
    ? { rows: decodeRows(rows, decode, args), cursor: int(cursor) }
    : { rows: decodeRows(reply, decode, args) };
};

const suggested = tuple(text, text, list(tuple(float, text)));

// An aggregation with a cursor counts as a write: the cursor stays open at the server until it is read to its end.
const opensCursor = (args: readonly unknown[]) => args.some((arg) => /^withcursor$/i.test(String(arg)));

const explaining = (reply: Decoder) => read(reply, scalar, scalar, options("dialect"));

export default named(
  {
    aggregate: writeIf(opensCursor)(aggregated, scalar, scalar, aggregating),
    aliasadd: write(text, scalar, scalar),
    aliasdel: write(text, scalar),
    aliasupdate: write(text, scalar, scalar),
    alter: reordered(
      [0, 2, 1],
      write(text, scalar, options("skipInitialScan?"), prefixed("SCHEMA", prefixed("ADD", schema))),
    ),
    create: reordered([0, 2, 1], write(text, scalar, creating, prefixed("SCHEMA", schema))),
    cursorDel: write(text, scalar, scalar),
    cursorRead: write(aggregated, scalar, scalar, options("count")),
    dictadd: write(int, scalar, rest(scalars)),
    dictdel: write(int, scalar, rest(scalars)),
    dictdump: read(list(text), scalar),
    dropindex: write(text, scalar, options("dd?")),
    explain: explaining(text),
    explaincli: explaining(list(text)),
    info: read(facts, scalar),
    profile: reordered(
      [0, 1, 3, 2],
      read(nestedText, scalar, scalar, options("limited?"), prefixed("QUERY", scalar)),
    ),
    search: read(searched, scalar, scalar, searching),
    spellcheck: read(
      (...reply) =>
        Object.fromEntries(list(suggested)(...reply).map(([, term, suggestions]) => [term, suggestions])),
      scalar,
      scalar,
      options("distance include=TERMS exclude=TERMS dialect", {
        include: prefixed("INCLUDE", scalar),
        exclude: prefixed("EXCLUDE", scalar),
      }),
    ),
    sugadd: write(int, scalar, scalar, scalar, options("incr? payload")),
    sugdel: write(int, scalar, scalar),
    sugget: read(orNull(list(orNull(text))), scalar, scalar, options("fuzzy? withScores? withPayloads? max")),
    suglen: read(int, scalar),
    syndump: read(object(list(text)), scalar),
    synupdate: reordered([0, 1, 3, 2], write(text, scalar, scalar, options("skipInitialScan?"), scalars)),
    tagvals: read(list(text), scalar, scalar),
  },
  "FT.",
) satisfies Record<keyof SearchCommands<ReplyMode>, unknown>;
