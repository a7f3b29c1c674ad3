import {
  float,
  int,
  list,
  nested,
  nestedText,
  object,
  orNull,
  type Part,
  partsOf,
  records,
  text,
  tuple,
  value,
} from "../decoders.js";
import type { Key, Kind, Reply } from "../kind.js";
import type { Decoder } from "../row.js";
import { named, read, rearrange, write, writeIf } from "../rows.js";
import { after, all, arg, counted, each, of, option, options, type Piece } from "../words.js";
import { type Facts, facts } from "./shared.js";

interface FieldOptions {
  /** The name in queries. */
  as?: string;
  sortable?: boolean;
  /** Sort by the value as it is written. */
  unf?: boolean;
  noIndex?: boolean;
  indexMissing?: boolean;
}

/** What an index knows of a field, or of a path in JSON documents. */
export type SearchField = FieldOptions &
  (
    | {
        type: "TEXT";
        weight?: number;
        noStem?: boolean;
        phonetic?: string;
        withSuffixTrie?: boolean;
        indexEmpty?: boolean;
      }
    | {
        type: "TAG";
        separator?: string;
        caseSensitive?: boolean;
        withSuffixTrie?: boolean;
        indexEmpty?: boolean;
      }
    | { type: "NUMERIC" }
    | { type: "GEO" }
    | { type: "GEOSHAPE"; coordSystem?: "FLAT" | "SPHERICAL" }
    | {
        type: "VECTOR";
        algorithm: "FLAT" | "HNSW" | (string & {});
        /** Such as `{ TYPE: "FLOAT32", DIM: 128, DISTANCE_METRIC: "COSINE" }`. */
        attributes: Record<string, string | number>;
      }
  );

export type SearchSchema = Record<string, SearchField>;

export interface CreateIndexOptions {
  on?: "HASH" | "JSON";
  /** Which keys are indexed. */
  prefix?: string | string[];
  filter?: string;
  language?: string;
  languageField?: string;
  score?: number;
  scoreField?: string;
  maxTextFields?: boolean;
  /** The index goes away when it is not used for this long, in seconds. */
  temporary?: number;
  noOffsets?: boolean;
  noHl?: boolean;
  noFields?: boolean;
  noFreqs?: boolean;
  stopwords?: string[];
  skipInitialScan?: boolean;
}

type Params = Record<string, string | number | Uint8Array>;

interface QueryOptions {
  verbatim?: boolean;
  /** In milliseconds. */
  timeout?: number;
  /** Values that stand for `$name` in the query. */
  params?: Params;
  dialect?: number;
}

export interface SearchOptions extends QueryOptions {
  /** Give the keys alone. */
  noContent?: boolean;
  noStopwords?: boolean;
  withScores?: boolean;
  inKeys?: Key[];
  inFields?: string[];
  /** Give these fields, or of a pair the first under the second's name. */
  return?: (string | [field: string, as: string])[];
  summarize?: { fields?: string[]; frags?: number; len?: number; separator?: string };
  highlight?: { fields?: string[]; tags?: [open: string, close: string] };
  slop?: number;
  inOrder?: boolean;
  language?: string;
  scorer?: string;
  sortBy?: { field: string; order?: "ASC" | "DESC" };
  /** How many to skip and how many to give; ten unless given. */
  limit?: { offset: number; count: number };
}

export interface SearchResult<T> {
  /** How many fit, given here or not. */
  total: number;
  documents: { id: string; score?: number; fields?: T | null }[];
}

/** A step of an aggregation; they are taken in the order given. */
export type AggregateStep =
  | { groupBy: string[]; reduce?: { function: string; args?: (string | number)[]; as?: string }[] }
  | { sortBy: (string | [field: string, order: "ASC" | "DESC"])[]; max?: number }
  | { apply: string; as: string }
  | { filter: string }
  | { limit: { offset: number; count: number } };

export interface AggregateOptions extends QueryOptions {
  /** Load these fields, or all. */
  load?: string[] | "*";
  steps?: AggregateStep[];
  /** Give the rest by cursor: how many at a time, and after how many milliseconds unread it ends. */
  cursor?: { count?: number; maxIdle?: number };
}

/** Rows as objects of text; with a cursor where to go on, 0 at the end. */
export interface AggregateResult {
  rows: Record<string, any>[];
  cursor?: number;
}

export interface SearchCommands<K extends Kind> {
  /** Runs a query and makes something of what it finds. */
  aggregate(index: string, query: string, opts?: AggregateOptions): Reply<K, AggregateResult>;
  /** Gives an index another name. */
  aliasadd(alias: string, index: string): Reply<K, "OK">;
  /** Removes an index's other name. */
  aliasdel(alias: string): Reply<K, "OK">;
  /** Gives an index another name, taking it from any that had it. */
  aliasupdate(alias: string, index: string): Reply<K, "OK">;
  /** Adds fields to an index. */
  alter(index: string, schema: SearchSchema, opts?: { skipInitialScan?: boolean }): Reply<K, "OK">;
  /** Makes an index. */
  create(index: string, schema: SearchSchema, opts?: CreateIndexOptions): Reply<K, "OK">;
  /** Ends a cursor. */
  cursorDel(index: string, cursor: number): Reply<K, "OK">;
  /** Gives more of what aggregate found. */
  cursorRead(index: string, cursor: number, opts?: { count?: number }): Reply<K, AggregateResult>;
  /** Adds terms to a dictionary. Gives how many are new. */
  dictadd(dictionary: string, ...terms: string[]): Reply<K, number>;
  /** Removes terms from a dictionary. Gives how many there were. */
  dictdel(dictionary: string, ...terms: string[]): Reply<K, number>;
  /** Gives a dictionary's terms. */
  dictdump(dictionary: string): Reply<K, string[]>;
  /** Removes an index, with `dd` the documents too. */
  dropindex(index: string, opts?: { dd?: boolean }): Reply<K, "OK">;
  /** Gives how a query is run, as text. */
  explain(index: string, query: string, opts?: { dialect?: number }): Reply<K, string>;
  /** Gives how a query is run, as lines. */
  explaincli(index: string, query: string, opts?: { dialect?: number }): Reply<K, string[]>;
  /** Gives facts on an index by Redis's names. */
  info(index: string): Reply<K, Facts>;
  /** Runs a search or an aggregation and gives how long its parts took, in Redis's own form. */
  profile(
    index: string,
    kind: "SEARCH" | "AGGREGATE",
    query: string,
    opts?: { limited?: boolean },
  ): Reply<K, unknown[]>;
  /** Gives the documents that fit a query. */
  search<T extends Record<string, unknown> = Record<string, unknown>>(
    index: string,
    query: string,
    opts?: SearchOptions,
  ): Reply<K, SearchResult<T>>;
  /** Gives for each unknown word of a query the words that it may stand for, with scores. */
  spellcheck(
    index: string,
    query: string,
    opts?: { distance?: number; include?: string; exclude?: string; dialect?: number },
  ): Reply<K, Record<string, [score: number, word: string][]>>;
  /** Adds a suggestion. Gives how many there are. */
  sugadd(
    key: Key,
    suggestion: string,
    score: number,
    opts?: { incr?: boolean; payload?: string },
  ): Reply<K, number>;
  /** Removes a suggestion. Gives 1 if it was there, else 0. */
  sugdel(key: Key, suggestion: string): Reply<K, 0 | 1>;
  /** Gives suggestions for the beginning of a word; with scores, each after its suggestion. */
  sugget(
    key: Key,
    prefix: string,
    opts?: { fuzzy?: boolean; withScores?: boolean; withPayloads?: boolean; max?: number },
  ): Reply<K, (string | null)[] | null>;
  /** Gives how many suggestions there are. */
  suglen(key: Key): Reply<K, number>;
  /** Gives the groups of synonyms that each term is in. */
  syndump(index: string): Reply<K, Record<string, string[]>>;
  /** Adds terms to a group of synonyms. */
  synupdate(
    index: string,
    group: string,
    terms: string[],
    opts?: { skipInitialScan?: boolean },
  ): Reply<K, "OK">;
  /** Gives the values of a tag field. */
  tagvals(index: string, field: string): Reply<K, string[]>;
}

const countedPairs: Piece = (out, given, encode) => counted(out, Object.entries(given).flat(), encode);
const params = of("params", after("PARAMS", countedPairs));

const querying = all(options("timeout"), params, options("dialect"));

const fieldOptions = all(
  options("weight noStem phonetic separator caseSensitive coordSystem="),
  of("attributes", countedPairs),
  options("withSuffixTrie indexEmpty indexMissing sortable unf noIndex"),
);

const schema: Piece = (out, fields, encode) => {
  for (const [name, field] of Object.entries<Record<string, unknown>>(fields)) {
    out.push(name);
    options("as type= algorithm=")(out, field, encode);
    fieldOptions(out, field, encode);
  }
};

const creating = all(
  options("on"),
  of("prefix", after("PREFIX", counted)),
  options(
    "filter language languageField=LANGUAGE_FIELD score scoreField=SCORE_FIELD maxTextFields temporary noOffsets noHl noFields noFreqs",
  ),
  of("stopwords", after("STOPWORDS", counted)),
  options("skipInitialScan"),
);

const limited: Piece = (out, { offset, count }) => {
  out.push("LIMIT", offset, count);
};

// A field that is given another name counts as three words.
const returning: Piece = (out, fields) => {
  const words = fields.flatMap((field: string | [string, string]) =>
    typeof field === "string" ? [field] : [field[0], "AS", field[1]],
  );
  out.push("RETURN", words.length, ...words);
};

const ofFields = of("fields", after("FIELDS", counted));

const searching = all(
  options("noContent verbatim noStopwords withScores"),
  of("inKeys", after("INKEYS", counted)),
  of("inFields", after("INFIELDS", counted)),
  of("return", returning),
  of("summarize", after("SUMMARIZE", all(ofFields, options("frags len separator")))),
  of("highlight", after("HIGHLIGHT", all(ofFields, options("tags")))),
  options("slop inOrder language scorer"),
  of("sortBy", options("field=SORTBY order=")),
  of("limit", limited),
  querying,
);

const reducing: Piece = (out, { function: name, args = [], as: alias }, encode) => {
  out.push("REDUCE", name);
  counted(out, args, encode);
  option("AS")(out, alias, encode);
};

const step: Piece = all(
  of("groupBy", after("GROUPBY", counted)),
  of("reduce", (out, reducers, encode) => {
    for (const reducer of reducers) reducing(out, reducer, encode);
  }),
  of("sortBy", (out, fields, encode) => after("SORTBY", counted)(out, fields.flat(), encode)),
  options("max apply as filter"),
  of("limit", limited),
);

const aggregating = all(
  options("verbatim"),
  of("load", (out, fields, encode) => {
    if (fields === "*") out.push("LOAD", "*");
    else after("LOAD", counted)(out, fields, encode);
  }),
  options("timeout"),
  of("steps", (out, steps, encode) => {
    for (const each of steps) step(out, each, encode);
  }),
  of("cursor", after("WITHCURSOR", options("count maxIdle"))),
  params,
  options("dialect"),
);

const DOCUMENT: Part[] = [
  ["id", text],
  ["score", float, "withScores"],
  ["fields", orNull(object(value)), "fields"],
];

const searched: Decoder = (reply, decode, args) => {
  const { withScores, noContent } = args[2] ?? {};
  const [names, kinds] = partsOf({ withScores, fields: !noContent }, DOCUMENT);
  const [total, ...flat] = list((part) => part)(reply, decode, args);
  return {
    total: int(total),
    documents: records(names, kinds)(flat, decode, args),
  };
};

// The first of the rows is a count that means nothing.
const rowsOf: Decoder = (...reply) =>
  list((row, ...more) => (Array.isArray(row) ? object(nested)(row, ...more) : int(row)))(...reply).slice(1);

const aggregated: Decoder = (...reply) => {
  const [rows, cursor] = list((part) => part)(...reply);
  // With a cursor the rows stand in an array of their own.
  return Array.isArray(rows)
    ? { rows: rowsOf(rows, reply[1], reply[2]), cursor: int(cursor) }
    : { rows: rowsOf(...reply) };
};

const suggested = tuple(text, text, list(tuple(float, text)));

// A cursor is kept at the server until it is read to its end.
const opensCursor = (words: readonly unknown[]) => words.some((word) => /^withcursor$/i.test(String(word)));

const explaining = (reply: Decoder) => read(reply, arg, arg, options("dialect"));

export const searchRows = named(
  {
    aggregate: writeIf(opensCursor)(aggregated, arg, arg, aggregating),
    aliasadd: write(text),
    aliasdel: write(text),
    aliasupdate: write(text),
    alter: rearrange(
      ([index, fields, opts]) => [index, opts, fields],
      write(text, arg, options("skipInitialScan"), after("SCHEMA", after("ADD", schema))),
    ),
    create: rearrange(
      ([index, fields, opts]) => [index, opts, fields],
      write(text, arg, creating, after("SCHEMA", schema)),
    ),
    cursorDel: write(text),
    cursorRead: write(aggregated, arg, arg, options("count")),
    dictadd: write(int),
    dictdel: write(int),
    dictdump: read(list(text)),
    dropindex: write(text, arg, options("dd")),
    explain: explaining(text),
    explaincli: explaining(list(text)),
    info: read(facts),
    profile: rearrange(
      ([index, kind, query, opts]) => [index, kind, opts, "QUERY", query],
      read(nestedText, arg, arg, options("limited"), arg),
    ),
    search: read(searched, arg, arg, searching),
    spellcheck: read(
      (...reply) => Object.fromEntries(list(suggested)(...reply).map(([, term, words]) => [term, words])),
      arg,
      arg,
      all(
        options("distance"),
        of("include", after("TERMS", after("INCLUDE", arg))),
        of("exclude", after("TERMS", after("EXCLUDE", arg))),
        options("dialect"),
      ),
    ),
    sugadd: write(int, arg, arg, arg, options("incr payload")),
    sugdel: write(int),
    sugget: read(orNull(list(orNull(text))), arg, arg, options("fuzzy withScores withPayloads max")),
    suglen: read(int),
    syndump: read(object(list(text))),
    synupdate: rearrange(
      ([index, group, terms, opts]) => [index, group, opts, terms],
      write(text, arg, arg, options("skipInitialScan"), each),
    ),
    tagvals: read(list(text)),
  },
  "FT.",
) satisfies Record<keyof SearchCommands<Kind>, unknown>;
