/** An object with at most one of the properties of `T`. */
export type AtMostOne<T> = {
  [Chosen in keyof T]: { [P in Chosen]?: T[P] } & { [P in Exclude<keyof T, Chosen>]?: undefined };
}[keyof T];

/** When to change a time to live: only without one, only with one, only to a later, only to an earlier time. */
export type ExpireOption = "NX" | "nx" | "XX" | "xx" | "GT" | "gt" | "LT" | "lt";

/** `ex` and `exat` in seconds, `px` and `pxat` in milliseconds; the `at` ones count from 1970. */
export interface Expiration {
  ex: number;
  px: number;
  exat: number;
  pxat: number;
}

export interface ScanCommandOptionsStandard {
  /** A glob pattern of names. */
  match?: string;
  /** How much work one call does; a hint. */
  count?: number;
  /** Only keys of this type. */
  type?: string;
  withType?: false;
}

export interface ScanCommandOptionsWithType {
  match?: string;
  count?: number;
  /** Returns each key's type with it. Upstash only. */
  withType: true;
}

/** Filters of scan, and whether it returns the types of keys. */
export type ScanCommandOptions = ScanCommandOptionsStandard | ScanCommandOptionsWithType;
