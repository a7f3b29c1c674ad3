import { array, optional, options, prefixed, rest, scalar, scalars, sequence } from "../args.js";
import { float, int, list, orNull, text, tuple } from "../decoders.js";
import { named, read, reordered, write } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import type { Decoder } from "../spec.js";
import type { AtMostOne } from "../types.js";
import { amounts, type Facts, facts, outcomes } from "./shared.js";

/** The treatment of a sample whose timestamp exists already. */
export type DuplicatePolicy = "BLOCK" | "FIRST" | "LAST" | "MIN" | "MAX" | "SUM";

/** The function that aggregates the samples of a bucket. */
export type Aggregator =
  | "avg"
  | "sum"
  | "min"
  | "max"
  | "range"
  | "count"
  | "first"
  | "last"
  | "std.p"
  | "std.s"
  | "var.p"
  | "var.s"
  | "twa";

/** Settings of a time series. */
export interface TimeSeriesOptions {
  /** Time in milliseconds for which samples are kept; 0 forever. */
  retention?: number | undefined;
  /** The encoding of samples. Default "COMPRESSED". */
  encoding?: "COMPRESSED" | "UNCOMPRESSED" | undefined;
  /** Size of a part of the series in bytes. Default 4096. */
  chunkSize?: number | undefined;
  /** The treatment of a second sample of the same time. Default "BLOCK". */
  duplicatePolicy?: DuplicatePolicy | undefined;
  /** Ignores a sample that differs from the previous one by at most this time in milliseconds and this value. */
  ignore?: [maxTimeDiff: number, maxValDiff: number] | undefined;
  /** Labels of the series. */
  labels?: Record<string, string | number> | undefined;
}

/** Settings of a time series that add creates. */
export interface TimeSeriesAddOptions extends Omit<TimeSeriesOptions, "duplicatePolicy"> {
  /** The treatment of a second sample of the same time. */
  onDuplicate?: DuplicatePolicy | undefined;
}

/** The time of a sample, and settings of a time series that incrby creates. */
export interface TimeSeriesIncrOptions extends TimeSeriesOptions {
  /** In milliseconds since 1970; now unless given. */
  timestamp?: number | "*" | undefined;
}

/** A time in milliseconds since 1970, or the end of the series. */
export type Timestamp = number | "-" | "+";

/** A sample. */
export type Sample = [timestamp: number, value: number];

/** Settings of get. */
export interface TimeSeriesGetOptions {
  /** Returns the last bucket too, though it may still grow. */
  latest?: boolean | undefined;
}

/** Samples of a range, and their aggregation. */
export interface RangeOptions extends TimeSeriesGetOptions {
  /** Only samples of these times, in milliseconds since 1970. */
  filterByTs?: number[] | undefined;
  /** Only samples with a value between these. */
  filterByValue?: [min: number, max: number] | undefined;
  /** Maximum number of samples or buckets. */
  count?: number | undefined;
  /** The alignment of buckets: a time, or the start or the end of the range. */
  align?: number | "start" | "end" | "-" | "+" | undefined;
  /** Aggregates samples in buckets. */
  aggregation?: {
    type: Aggregator;
    /** Duration of a bucket in milliseconds. */
    bucket: number;
    /** The timestamp of a bucket: its start, its end or its middle. */
    bucketTimestamp?: "-" | "+" | "~" | undefined;
    /** Returns buckets without samples too. */
    empty?: boolean | undefined;
  };
}

/** Labels that mget and mrange return. */
export interface ReturnedLabels {
  /** Returns all labels. */
  withLabels: boolean;
  /** Returns these labels. */
  selectedLabels: string[];
}

/** The labels that mget returns, and whether it returns the last bucket. */
export type MultiGetOptions = TimeSeriesGetOptions &
  AtMostOne<ReturnedLabels, "only one of withLabels and selectedLabels">;

/** A range of several series. */
export type MultiRangeOptions = RangeOptions &
  AtMostOne<ReturnedLabels, "only one of withLabels and selectedLabels"> & {
    /** Aggregates the series that have the same value of a label. */
    groupBy?: { label: string; reduce: Aggregator } | undefined;
  };

/** A series among several: its key, the requested labels, and the samples found. */
export type Found<T> = [key: string, labels: [label: string, value: string | null][], found: T];

/** Time series: numbers with timestamps. */
export interface TimeSeriesCommands<K extends ReplyMode> {
  /** Adds a sample; the timestamp "*" is the current time. Returns its time. */
  add(key: Key, timestamp: number | "*", value: number, opts?: TimeSeriesAddOptions): Reply<K, number>;
  /** Changes the settings of a series. */
  alter(key: Key, opts: Omit<TimeSeriesOptions, "encoding">): Reply<K, "OK">;
  /** Creates an empty series. */
  create(key: Key, opts?: TimeSeriesOptions): Reply<K, "OK">;
  /** Creates a rule: `destination` gets an aggregate of `source` for each bucket of this duration in ms. */
  createrule(source: Key, destination: Key, type: Aggregator, bucket: number, align?: number): Reply<K, "OK">;
  /** Adds a sample that is `value` lower than the last. Returns its time. */
  decrby(key: Key, value: number, opts?: TimeSeriesIncrOptions): Reply<K, number>;
  /** Removes samples between two times, both included. Returns how many were removed. */
  del(key: Key, from: number, to: number): Reply<K, number>;
  /** Removes a rule of createrule. */
  deleterule(source: Key, destination: Key): Reply<K, "OK">;
  /** Returns the last sample, or null. */
  get(key: Key, opts?: TimeSeriesGetOptions): Reply<K, Sample | null>;
  /** Adds a sample that is `value` higher than the last. Returns its time. */
  incrby(key: Key, value: number, opts?: TimeSeriesIncrOptions): Reply<K, number>;
  /** Returns facts about the series, under Redis's names for them. */
  info(key: Key): Reply<K, Facts>;
  /** Adds samples to series. Returns for each its time or an error. */
  madd(...samples: [key: Key, timestamp: number | "*", value: number][]): Reply<K, (number | Error)[]>;
  /** Returns the last sample of each series that matches a filter, such as `["area=32"]`. */
  mget(filter: string[], opts?: MultiGetOptions): Reply<K, Found<Sample | null>[]>;
  /** Returns the samples between two times of each series that matches. */
  mrange(
    from: Timestamp,
    to: Timestamp,
    filter: string[],
    opts?: MultiRangeOptions,
  ): Reply<K, Found<Sample[]>[]>;
  /** Returns the samples between two times of each series that matches, the last first. */
  mrevrange(
    from: Timestamp,
    to: Timestamp,
    filter: string[],
    opts?: MultiRangeOptions,
  ): Reply<K, Found<Sample[]>[]>;
  /** Returns the keys of the series that match. */
  queryindex(...filter: string[]): Reply<K, string[]>;
  /** Returns the samples between two times, both included. */
  range(key: Key, from: Timestamp, to: Timestamp, opts?: RangeOptions): Reply<K, Sample[]>;
  /** Returns the samples between two times, both included, the last first. */
  revrange(key: Key, from: Timestamp, to: Timestamp, opts?: RangeOptions): Reply<K, Sample[]>;
}

// Labels come last, since Redis takes every argument after LABELS for a label.
const making = options(
  "timestamp retention encoding chunkSize=CHUNK_SIZE duplicatePolicy=DUPLICATE_POLICY onDuplicate=ON_DUPLICATE ignore* labels",
  { labels: amounts },
);

const aggregation = options("type=AGGREGATION bucket= bucketTimestamp=BUCKETTIMESTAMP empty?");
const selecting = options("withLabels? selectedLabels*=SELECTED_LABELS");

const ranging = sequence(
  options("latest? filterByTs*=FILTER_BY_TS filterByValue*=FILTER_BY_VALUE"),
  selecting,
  options("count align aggregation=", { aggregation }),
);

const filter = prefixed("FILTER", scalars);
const grouping = options("groupBy=", { groupBy: options("label=GROUPBY reduce") });

const sample = tuple(int, float);
const samples = list(sample);
const last: Decoder = (...reply) => ((reply[0] as unknown[]).length === 0 ? null : sample(...reply));
const found = (decoder: Decoder) => list(tuple(text, list(tuple(text, orNull(text))), decoder));

const change = write(int, scalar, scalar, making);
const range = read(samples, scalar, scalar, scalar, ranging);
const multiRange = reordered(
  [0, 1, 3, 2, 3],
  read(found(samples), scalar, scalar, ranging, filter, grouping),
);

export default named(
  {
    add: write(int, scalar, scalar, scalar, making),
    alter: write(text, scalar, making),
    create: write(text, scalar, making),
    createrule: write(text, scalar, scalar, prefixed("AGGREGATION", scalar), scalar, optional(scalar)),
    decrby: change,
    del: write(int, scalar, scalar, scalar),
    deleterule: write(text, scalar, scalar),
    get: read(last, scalar, options("latest?")),
    incrby: change,
    info: read(facts, scalar),
    madd: write(outcomes, rest(array(scalar))),
    mget: reordered([1, 0], read(found(last), sequence(options("latest?"), selecting), filter)),
    mrange: multiRange,
    mrevrange: multiRange,
    queryindex: read(list(text), rest(scalars)),
    range,
    revrange: range,
  },
  "TS.",
) satisfies Record<keyof TimeSeriesCommands<ReplyMode>, unknown>;
