import type { Endpoint } from "../config.js";
import type { Settings } from "../settings.js";
import type { Failure } from "./failure.js";
import { streamLines } from "./lines.js";

/** The lines of MONITOR. @throws what {@link streamLines} throws; nothing is tried again. */
export async function* monitor(
  endpoint: Endpoint,
  failure: Failure,
  settings: Settings,
): AsyncGenerator<string, void, undefined> {
  const signal = typeof settings.signal === "function" ? settings.signal() : settings.signal;
  const request = { endpoint, path: "/monitor", failure, signal };
  for await (const lines of streamLines(request, settings.timeout)) {
    for (const line of lines) {
      if (line.startsWith("data: ") && line !== 'data: "OK"') yield line.slice(6);
    }
  }
}
