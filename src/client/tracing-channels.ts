import type { TracingChannel } from "node:diagnostics_channel";
import type { Tracer } from "../execution/trace.js";
import type { TraceContext } from "../options/options.js";
import { builtin } from "../transport/node/builtin.js";

const channels: { [Operation in TraceContext["operation"]]?: TracingChannel } = {};

/** Returns a channel. It is created with the first command, because loading Node's module takes time. */
const getChannel = (operation: TraceContext["operation"]): TracingChannel =>
  (channels[operation] ??= builtin("node:diagnostics_channel").tracingChannel(`warmline:${operation}`));

/**
 * Publishes on `tracing:warmline:command` and `tracing:warmline:request`.
 * @see https://nodejs.org/api/diagnostics_channel.html#tracingchannel-channels
 */
export const channelTracer: Tracer = {
  isActive: (operation) => getChannel(operation).hasSubscribers,
  trace(context, run) {
    let value: Awaited<ReturnType<typeof run>>;
    // Node adds the result of this function to the context. A reply is not for subscribers.
    const silent = async () => {
      value = await run();
    };
    return getChannel(context.operation)
      .tracePromise(silent, context)
      .then(() => value);
  },
};
