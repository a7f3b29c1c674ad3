import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sep } from "node:path";
import type { Plugin } from "esbuild";

/**
 * What undici's client pulls in and an HTTP/1.1 client with a connector of its own never reaches: loading it is
 * most of a cold start. Each is replaced by the least that its users need at load time. After an upgrade of undici,
 * `test/unit/bundle.test.ts` tells whether a module here is gone, or a new one has come in.
 */
const UNDICI: Record<string, string> = {
  // HTTP/2 is chosen by ALPN, and our connector offers http/1.1 alone.
  "dispatcher/client-h2.js": "module.exports = () => { throw new Error('no HTTP/2 in this bundle') };",
  // Only FormData bodies need it; ours are strings and bytes.
  "web/fetch/body.js": "module.exports = {};",
  // The connector for clients that bring none.
  "core/connect.js": "module.exports = () => { throw new Error('no connector in this bundle') };",
  // The same parser without SIMD, which every platform of Node 20 has.
  "llhttp/llhttp-wasm.js": "module.exports = require('./llhttp_simd-wasm.js');",
  // Publishes what happens to whoever listens to undici's channels; nobody can mean the one in here.
  "core/diagnostics.js": `
    const silent = { hasSubscribers: false };
    module.exports = { channels: new Proxy({}, { get: () => silent }) };`,
};

const PARSER_CONSTANTS = "llhttp/constants.js";

/** Of the parser's tables these two are used: the kinds of message and the errors. */
function parserConstants(path: string): string {
  const { TYPE, ERROR } = createRequire(import.meta.url)(path);
  return `module.exports = ${JSON.stringify({ TYPE, ERROR })};`;
}

/** Node's own modules that take milliseconds to load, and what is used of them. */
const NODE: Record<string, string> = {
  "node:assert": `
    const assert = (value, message) => { if (!value) throw new Error(message || "assertion failed"); };
    assert.ok = assert;
    assert.strictEqual = (a, b) => assert(a === b);
    module.exports = assert;`,
  "node:http": "module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };",
  "node:querystring":
    "module.exports = { stringify: () => { throw new Error('no queries in this bundle'); } };",
};

export const trimUndici: Plugin = {
  name: "trim-undici",
  setup(build) {
    const inUndici = (path: string) => path.includes(`${sep}undici${sep}lib${sep}`);
    build.onResolve({ filter: /^node:(assert|http|querystring)$/ }, ({ path, importer }) =>
      inUndici(importer) ? { path, namespace: "trimmed" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "trimmed" }, ({ path }) => ({
      contents: NODE[path]!,
      loader: "js",
    }));
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/].*\.js$/ }, ({ path }) => {
      const name = path.split(`${sep}undici${sep}lib${sep}`)[1]!.split(sep).join("/");
      if (name === PARSER_CONSTANTS) return { contents: parserConstants(path), loader: "js" };
      return { contents: UNDICI[name] ?? readFileSync(path, "utf8"), loader: "js" };
    });
  },
};

/** The replaced modules, for the test that pins them. */
export const REPLACED = [...Object.keys(UNDICI), PARSER_CONSTANTS];
