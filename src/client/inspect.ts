import { executorOf } from "../execution/executor-key.js";

/** Returns the text that `console.log` of Node prints for a client. */
export function inspectClient(
  this: object,
  _depth: number,
  options: object,
  inspect: (value: unknown, options: object) => string,
): string {
  const { settings, context } = executorOf(this);
  const { endpoint, transport } = context;
  const { opened, closed } = transport.stats;
  const { timeout, writes } = settings;
  const url = endpoint && "origin" in endpoint ? endpoint.origin + endpoint.path : undefined;
  const shown = { url, connections: opened - closed, timeout, writes };
  return `${this.constructor.name} ${inspect(shown, options)}`;
}
