// The types of commands, their options and replies. Types that @upstash/redis exports too have the same names. A group's own
// specs are the default export of its file, so that they are not among these.
export type * from "./array.js";
export type { BitFieldCommand, BitmapCommands, BitUnit } from "./bitmap.js";
export type * from "./connection.js";
export type * from "./generic.js";
export type * from "./geo.js";
export type * from "./hash.js";
export type * from "./hyperloglog.js";
export type * from "./json.js";
export type * from "./list.js";
export type * from "./pubsub.js";
export type {
  FunctionCommands,
  FunctionLibrary,
  FunctionListArgs,
  FunctionLoadArgs,
  FunctionStats,
  ScriptFlushCommandOptions,
  ScriptingCommands,
} from "./scripting.js";
export type * from "./server.js";
export type * from "./set.js";
export type * from "./sorted-set.js";
export type * from "./storable.js";
export type * from "./stream.js";
export type * from "./string.js";
export type * from "./types.js";
export type * from "./vector-set.js";
