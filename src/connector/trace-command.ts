import { errorFrom } from "../execution/decode-reply.js";
import { traced } from "../execution/trace.js";
import type { LimitedCommand } from "./command-sender.js";
import type { ConnectorContext } from "./options.js";
import { errorText } from "./resp-reply.js";

/** Commands by which clients set up a connection. HTTP has none to set up, and the refusal of RESP3 is no failure. */
const HANDSHAKE = /^(AUTH|CLIENT|HELLO|SELECT)$/;

/** Starts the trace of a command. Returns the callback that ends it, or undefined if no trace is published. */
export function traceCommand(context: ConnectorContext, name: string): LimitedCommand["endTrace"] {
  if (!context.tracer.isActive("command") || HANDSHAKE.test(name)) return undefined;
  let endTrace!: NonNullable<LimitedCommand["endTrace"]>;
  const run = () =>
    new Promise<void>((resolve, reject) => {
      endTrace = (end) => {
        const error = end instanceof Error ? end : errorFromReply(end, name);
        if (error) reject(error);
        else resolve();
      };
    });
  traced(context, "command", run, { command: name }).catch(() => {});
  return endTrace;
}

function errorFromReply(reply: Buffer, name: string): Error | undefined {
  const text = errorText(reply);
  return text === undefined ? undefined : errorFrom(text, name);
}
