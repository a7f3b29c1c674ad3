import type { ConnectedClient } from "./bench-client.js";

/** Sends a body to a path of the endpoint and gives the text of the answer. */
export type Post = (path: string, body: string) => Promise<string>;

/** A client made of nothing but a way to send a request: what one writes by hand. */
export function restClient(post: Post, close: () => Promise<unknown> = async () => {}): ConnectedClient {
  const command = async (...words: string[]) => {
    const { result, error } = JSON.parse(await post("/", JSON.stringify(words)));
    if (error !== undefined) throw new Error(error);
    return result;
  };
  return {
    get: (key) => command("GET", key),
    set: (key, value) => command("SET", key, value),
    incr: (key) => command("INCR", key),
    ping: () => command("PING"),
    pipeline: async (keys) => {
      const answers: { result: unknown }[] = JSON.parse(
        await post("/pipeline", JSON.stringify(keys.map((key) => ["GET", key]))),
      );
      return answers.map(({ result }) => result);
    },
    close,
  };
}

/** The headers of such a request. */
export function restHeaders(token: string, keepAlive: boolean): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    ...(keepAlive ? {} : { Connection: "close" }),
  };
}
