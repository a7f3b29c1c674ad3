// Every type that @upstash/redis exports, by its name there.

export type {
  ArGrepOptions,
  ArGrepPredicate,
  ArGrepResult,
  ArInfoOptions,
  ArInfoResult,
  ArLastItemsOptions,
  ArMSetValues,
  ArOpOperation,
  ArScanOptions,
  ClientSetInfoAttribute,
  ExpireOption,
  GeoAddCommandOptions,
  GeoMember,
  ScanCommandOptions,
  ScoreMember,
  SetCommandOptions,
  Type,
  UpstashResponse,
  ZAddCommandOptions,
  ZInterStoreCommandOptions,
  ZRangeCommandOptions,
  ZUnionCommandOptions,
  ZUnionStoreCommandOptions,
} from "warmline";
export type * from "./commands.js";
export type {
  RedisConfigCloudflare,
  RedisConfigFastly,
  RedisConfigNodejs,
  Requester,
  UpstashRequest,
} from "./options.js";
export type { Pipeline } from "./pipeline.js";
export type { FlatIndexSchema, InferFilterFromSchema, NestedIndexSchema } from "./upstash-only/schema.js";
export type { CreateIndexParameters, QueryResult, SearchIndexParameters } from "./upstash-only/search.js";
export type {
  CreateVectorIndexParameters,
  VectorCreateOptions,
  VectorIndexInfo,
  VectorIndexParameters,
  VectorInput,
  VectorMetric,
  VectorQueryOptions,
  VectorQueryProfile,
  VectorQueryResult,
} from "./upstash-only/vector.js";
