import type { Core } from "../core.js";
import { endpointOf } from "./endpoint.js";
import { dataIn, streamLines } from "./lines.js";

/** The lines of MONITOR. @throws what {@link streamLines} throws; nothing is tried again. */
export async function* monitor(core: Core): AsyncGenerator<string, void, undefined> {
  const failure = core.failureOf("MONITOR");
  const request = { endpoint: endpointOf(core, failure), path: "/monitor", failure, signal: core.signal };
  for await (const lines of streamLines(request, core.settings.timeout)) {
    for (const line of lines) {
      const data = dataIn(line);
      if (data !== undefined && data !== '"OK"') yield data;
    }
  }
}
