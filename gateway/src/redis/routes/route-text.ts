/** The Redis of the keys that begin with a prefix. */
export interface Route {
  /** Empty for all that no other route is for. */
  readonly prefix: string;
  readonly url: string;
  /** Whether that Redis gets the keys without the prefix. */
  readonly strip: boolean;
}

const FORM = "expected <prefix>=<redis URL>, such as sess:=redis://host:6379, or *=<redis URL> for the rest";

/**
 * Reads a route. With `strip=true` in the URL's query the Redis gets keys without the prefix.
 * @throws {TypeError} when it is none; the message does not repeat the URL
 */
export function parseRoute(text: string): Route {
  const [, prefix, url] = /^(.*?)=([a-z][a-z+]*:\/\/.*)$/s.exec(text) ?? [];
  if (!prefix || url === undefined) throw new TypeError(`routes: a route is malformed; ${FORM}`);
  const strip = /[?&]strip=true(?:&|$)/.test(url);
  if (prefix !== "*") return { prefix, url, strip };
  if (strip) throw new TypeError("routes: the route * has no prefix to strip");
  return { prefix: "", url, strip };
}

/**
 * Reads all routes, those of longer prefixes first.
 * @throws {TypeError} when one is none, or two are for the same prefix
 */
export function parseRoutes(texts: readonly string[]): readonly Route[] {
  const routes = texts.map(parseRoute);
  const prefixes = new Set<string>();
  for (const { prefix } of routes) {
    if (prefixes.has(prefix)) throw new TypeError(`routes: two routes for ${prefix || "*"}`);
    prefixes.add(prefix);
  }
  return [...routes].sort((a, b) => b.prefix.length - a.prefix.length);
}
