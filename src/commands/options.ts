// The types of options and replies, by the names under which the reference client exports them, and those that it lacks.
export type {
  ArGrepOptions,
  ArGrepPredicate,
  ArGrepResult,
  ArInfoOptions,
  ArInfoResult,
  ArLastItemsOptions,
  ArMSetValues,
  ArOpOperation,
  ArrayIndex,
  ArScanOptions,
} from "./array.js";
export type { BitFieldCommand, BitUnit } from "./bitmap.js";
export type { ClientSetInfoAttribute } from "./connection.js";
export type { CopyOptions, RestoreOptions, SortOptions, Type } from "./generic.js";
export type {
  CenterPoint,
  GeoAddCommandOptions,
  GeoMatch,
  GeoMember,
  GeoSearchCommandOptions,
  GeoSearchStoreCommandOptions,
  GeoUnit,
  Shape,
} from "./geo.js";
export type { HGetExCommandOptions, HScanOptions, HSetExCommandOptions } from "./hash.js";
export type { JsonGetOptions, JsonInput } from "./json.js";
export type { LPosOptions, MoveOptions, Side } from "./list.js";
export type {
  FunctionLibrary,
  FunctionListArgs,
  FunctionLoadArgs,
  FunctionStats,
  ScriptFlushCommandOptions,
} from "./scripting.js";
export type {
  LexBound,
  ScoreBound,
  ScoreMember,
  ZAddCommandOptions,
  ZInterStoreCommandOptions,
  ZRangeCommandOptions,
  ZUnionCommandOptions,
  ZUnionStoreCommandOptions,
} from "./sorted-set.js";
export type {
  PendingEntry,
  PendingSummary,
  StreamRefOption,
  XAddCommandOptions,
  XClaimOptions,
  XGroupCommandType,
  XInfoCommands,
  XPendingOptions,
  XReadGroupOptions,
  XReadOptions,
  XTrimOptions,
} from "./stream.js";
export type {
  Comparison,
  GetExCommandOptions,
  IncrExOptions,
  LcsMatches,
  LcsOptions,
  MSetExOptions,
  SetCommandOptions,
} from "./string.js";
export type { ExpireOption, ScanCommandOptions } from "./types.js";
export type { VAddOptions, Vector, VSimOptions, VSimResult } from "./vector-set.js";
