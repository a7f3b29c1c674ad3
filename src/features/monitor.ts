import type { CommandExecutor } from "../execution/executor.js";
import { getStreamEndpoint } from "./subscribe/endpoint.js";
import { dataIn, streamLines } from "./subscribe/lines.js";

/** The lines of MONITOR. @throws what {@link streamLines} throws; nothing is tried again. */
export async function* monitor(executor: CommandExecutor): AsyncGenerator<string, void, undefined> {
  const failure = executor.errorFactory("MONITOR");
  const request = {
    endpoint: getStreamEndpoint(executor, failure),
    path: "/monitor",
    failure,
    signal: executor.signal,
  };
  for await (const lines of streamLines(request, executor.settings.timeout)) {
    for (const line of lines) {
      const data = dataIn(line);
      if (data !== undefined && data !== '"OK"') yield data;
    }
  }
}
