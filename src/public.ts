// Exports of both entries beside the class itself.
export type { CommandResult, Pipeline } from "./batch/pipeline.js";
export type { Iterators } from "./client/iterators.js";
export type { Middleware, Requester, UpstashRequest, UpstashResponse } from "./client/requester.js";
export type { ReadonlyScript, Script } from "./client/script.js";
export type { UpdateOptions } from "./client/update.js";
export type { Builders, Commands, Namespaces } from "./commands/index.js";
export type * from "./commands/options.js";
export type { Immediate, Key, Reply, ReplyMode } from "./commands/reply-mode.js";
export type { InferOutput, SchemaOption, StandardSchema } from "./commands/schema.js";
export type { CallOptions, Deadline, RedisOptions, RetryOptions, WriteMode } from "./config.js";
export type { ConnectionStats } from "./connection/transport.js";
export * from "./errors.js";
export type { RedisConstructor } from "./redis.js";
export type {
  ChannelMessage,
  PatternMessage,
  SubscriberEvents,
  SubscriberMessage,
} from "./subscribe/events.js";
export type { Subscriber } from "./subscribe/subscriber.js";
export type { CodecOption, CustomCodec } from "./wire/codec.js";
