import type { ConfiguredClient } from "../execution/client-context.js";
import { getSignal } from "../execution/limits.js";
import { atCaller } from "../util/at-caller.js";
import { dataIn, getStreamEndpoint, streamLines } from "./subscribe/event-stream.js";

/** Yields the lines of MONITOR. @throws the errors of {@link streamLines}, without a retry. */
export async function* monitor(client: ConfiguredClient): AsyncGenerator<string, void, undefined> {
  const command = "MONITOR";
  const request = {
    ...getStreamEndpoint(client, command),
    path: "/monitor",
    command,
    signal: getSignal(client.settings),
  };
  try {
    for await (const lines of streamLines(request, client.settings.timeout)) {
      for (const line of lines) {
        const data = dataIn(line);
        if (data && data !== '"OK"') yield data;
      }
    }
  } catch (error) {
    throw atCaller(error, monitor);
  }
}
