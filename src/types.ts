// Exports of both entries besides the class itself.
export type { CommandResult, CommandResults, Pipeline, Queued } from "./client/pipeline.js";
export type { ClientStats, RedisConstructor, WithValues } from "./client/redis.js";
export type { Builders, Commands, Namespaces } from "./commands/index.js";
export type { Target } from "./commands/modules/target.js";
export type * from "./commands/options.js";
export type * from "./commands/reply-mode.js";
export type {
  CheckedValue,
  InferOutput,
  SchemaOption,
  StandardSchema,
  Validation,
} from "./commands/schema.js";
export * from "./errors.js";
export type { Middleware, Requester, UpstashRequest, UpstashResponse } from "./execution/middleware.js";
export type { Iterators, ScanIteratorOptions } from "./features/iterators.js";
export type { ReadonlyScript, Script } from "./features/script.js";
export type * from "./features/subscribe/events.js";
export type { Subscriber } from "./features/subscribe/subscriber.js";
export type { UpdateOptions, Updater } from "./features/update.js";
export type * from "./options/options.js";
export type { CircuitState, ConnectionStats } from "./transport/transport.js";
