import type { ConnectedClient } from "./bench-client.js";

/** Sends a body to a path of the endpoint and returns the response text. */
type Post = (path: string, body: string) => Promise<string>;

/** Creates a client of the REST protocol, as a user would write it by hand, from a function that sends a request. */
export function restClient(post: Post, close: () => Promise<unknown> = async () => {}): ConnectedClient {
  const command = async (...args: string[]) => {
    const { result, error } = JSON.parse(await post("/", JSON.stringify(args)));
    if (error !== undefined) throw new Error(error);
    return result;
  };
  return {
    get: (key) => command("GET", key),
    set: (key, value) => command("SET", key, value),
    incr: (key) => command("INCR", key),
    hgetall: async (key) => {
      const fields: string[] = await command("HGETALL", key);
      return Object.fromEntries(
        Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]]),
      );
    },
    bytes: (key) => command("GET", key),
    ping: () => command("PING"),
    pipeline: async (keys) => {
      const results: { result: unknown }[] = JSON.parse(
        await post("/pipeline", JSON.stringify(keys.map((key) => ["GET", key]))),
      );
      return results.map(({ result }) => result);
    },
    close,
  };
}

export function restHeaders(token: string, keepAlive: boolean): Record<string, string> {
  const closing: Record<string, string> = keepAlive ? {} : { Connection: "close" };
  return { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...closing };
}

/** Time in ms after which clients with advised settings close an idle connection: earlier than any server or network device. */
export const IDLE_MS = 1_000;

/** Returns the request option that aborts a request after `timeoutMs`. Without a time it returns no option. */
export const timeoutSignal = (timeoutMs: number | undefined): { readonly signal?: AbortSignal } =>
  timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
