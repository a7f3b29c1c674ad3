import { tracingChannel } from "node:diagnostics_channel";

const EVENTS = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;
const CHANNELS = ["command", "request"] as const;

/** An event of a trace: its channel and name, such as `command start`, and a copy of its message. */
export type TraceEvent = [event: string, context: Record<string, unknown>];

/** Collects the trace events of all clients until `stop` is called. */
export function collectTraces() {
  const events: TraceEvent[] = [];
  const stops = CHANNELS.map((name) => {
    const handlers = Object.fromEntries(
      EVENTS.map((event) => [
        event,
        (context: object) => void events.push([`${name} ${event}`, { ...context }]),
      ]),
    );
    const channel = tracingChannel(`warmline:${name}`);
    channel.subscribe(handlers as never);
    return () => void channel.unsubscribe(handlers as never);
  });
  return {
    events,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}
