// The types of commands, their options and replies. Types that @upstash/redis exports too have the same names.
export type {
  ArGrepOptions,
  ArGrepPredicate,
  ArGrepResult,
  ArInfoOptions,
  ArInfoResult,
  ArLastItemsOptions,
  ArMSetValues,
  ArOpKeyword,
  ArOpOperation,
  ArrayCommands,
  ArrayIndex,
  ArScanOptions,
} from "./array.js";
export type { BitFieldCommand, BitmapCommands, BitUnit } from "./bitmap.js";
export type { ClientSetInfoAttribute, ConnectionCommands } from "./connection.js";
export type {
  CopyOptions,
  GenericCommands,
  RestoreOptions,
  ScanResultStandard,
  ScanResultWithType,
  SortOptions,
  SortStoreOption,
  Type,
} from "./generic.js";
export type {
  CenterPoint,
  GeoAddCommandOptions,
  GeoCommands,
  GeoCoordinates,
  GeoCount,
  GeoMatch,
  GeoMember,
  GeoSearchCommandOptions,
  GeoSearchStoreCommandOptions,
  GeoUnit,
  Shape,
  SortOrder,
} from "./geo.js";
export type {
  FieldExpiration,
  HashCommands,
  HashFields,
  HGetExCommandOptions,
  HScanOptions,
  HSetExCommandOptions,
} from "./hash.js";
export type { HyperLogLogCommands } from "./hyperloglog.js";
export type { JsonCommands, JsonGetOptions, JsonInput, JsonSetCondition } from "./json.js";
export type {
  ListCommands,
  LPosManyOptions,
  LPosOneOptions,
  LPosOptions,
  MoveOptions,
  Side,
} from "./list.js";
export type { PubSubCommands } from "./pubsub.js";
export type {
  FunctionCommands,
  FunctionLibrary,
  FunctionListArgs,
  FunctionLoadArgs,
  FunctionStats,
  ScriptFlushCommandOptions,
  ScriptFlushTime,
  ScriptingCommands,
} from "./scripting.js";
export type { FlushOptions, MemoryUsageOptions, ServerCommands } from "./server.js";
export type { SetCommands, UnionCountOptions } from "./set.js";
export type {
  LexBound,
  MemberCondition,
  OptionalRangeLimit,
  PoppedScored,
  PopSide,
  RangeBound,
  RangeKind,
  RangeLimit,
  RangeResult,
  RankScoreOption,
  ScoreBound,
  ScoreCondition,
  ScoreMember,
  ScoresOption,
  ScoreWeights,
  SortedSetCommands,
  StoredRangeOptions,
  UnscoredRangeOptions,
  ZAddCommandOptions,
  ZInterStoreCommandOptions,
  ZRangeCommandOptions,
  ZUnionCommandOptions,
  ZUnionStoreCommandOptions,
} from "./sorted-set.js";
export type * from "./storable.js";
export type {
  ClaimedEntries,
  PendingEntry,
  PendingSummary,
  StreamCommands,
  StreamEntries,
  StreamEntry,
  StreamIds,
  StreamRefOption,
  XAckDelOption,
  XAddCommandOptions,
  XAutoClaimOptions,
  XCfgSetOptions,
  XClaimOptions,
  XDelExOption,
  XGroupCommandType,
  XGroupCreateOptions,
  XGroupReturnType,
  XGroupSetIdOptions,
  XInfoCommands,
  XNackOptions,
  XPendingOptions,
  XReadGroupOptions,
  XReadOptions,
  XSetIdOptions,
  XTrimOptions,
} from "./stream.js";
export type {
  Comparison,
  GetExCommandOptions,
  IncrExOptions,
  IncrementOption,
  LcsMatches,
  LcsOptions,
  LcsResult,
  MSetExOptions,
  PreviousValueOption,
  SetCommandOptions,
  SetCondition,
  SetOptions,
  SetResult,
  StringCommands,
  ValueComparison,
} from "./string.js";
export type * from "./types.js";
export type {
  VAddOptions,
  Vector,
  VectorSetCommands,
  VSimMatch,
  VSimOptions,
  VSimResult,
} from "./vector-set.js";
