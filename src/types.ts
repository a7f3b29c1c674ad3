// Exports of both entries beside the class itself.
export type { CommandResult, Pipeline } from "./client/pipeline.js";
export type { RedisConstructor } from "./client/redis.js";
export type { Builders, Commands, Namespaces } from "./commands/index.js";
export type * from "./commands/options.js";
export type { Immediate, Key, Reply, ReplyMode } from "./commands/reply-mode.js";
export type { InferOutput, SchemaOption, StandardSchema } from "./commands/schema.js";
export * from "./errors.js";
export type { Middleware, Requester, UpstashRequest, UpstashResponse } from "./execution/middleware.js";
export type { Iterators } from "./features/iterators.js";
export type { ReadonlyScript, Script } from "./features/script.js";
export type {
  ChannelMessage,
  PatternMessage,
  SubscriberEvents,
  SubscriberMessage,
} from "./features/subscribe/events.js";
export type { Subscriber } from "./features/subscribe/subscriber.js";
export type { UpdateOptions } from "./features/update.js";
export type {
  CallOptions,
  CodecOption,
  CustomCodec,
  Deadline,
  RedisOptions,
  RetryOptions,
  WriteMode,
} from "./options/options.js";
export type { ConnectionStats } from "./transport/transport.js";
