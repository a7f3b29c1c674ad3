import type { TracingChannel } from "node:diagnostics_channel";
import type { Tracer } from "../execution/trace.js";
import type { TraceContext } from "../options/options.js";
import { builtin } from "../transport/node/builtin.js";

type Channels = Record<TraceContext["operation"], TracingChannel>;

let channels: Channels | undefined;

/** The channels, created with the first command, as those of events with the first connection. */
function getChannels(): Channels {
  if (!channels) {
    const { tracingChannel } = builtin("node:diagnostics_channel");
    channels = { command: tracingChannel("warmline:command"), request: tracingChannel("warmline:request") };
  }
  return channels;
}

/**
 * Publishes on `tracing:warmline:command` and `tracing:warmline:request`.
 * @see https://nodejs.org/api/diagnostics_channel.html#tracingchannel-channels
 */
export const channelTracer: Tracer = {
  isActive: (operation) => getChannels()[operation].hasSubscribers,
  trace(context, run) {
    let value: Awaited<ReturnType<typeof run>>;
    // Node adds the result to the context; a reply is not for subscribers.
    const silent = async () => {
      value = await run();
    };
    return getChannels()
      [context.operation].tracePromise(silent, { ...context })
      .then(() => value);
  },
};
