// Loaded by mocha before the tests: transpiles them, resolves what they import from the installed packages, and gives
// every `new Redis()` of the tests the connection that is to be tested.
const Module = require("node:module");
const { join, relative } = require("node:path");
const { readFileSync } = require("node:fs");
const typescript = require("typescript");

const { SUITE_CHECKOUT, SUITE_PACKAGES, SUITE_URL, SUITE_TOKEN } = process.env;
const lib = join(SUITE_CHECKOUT, "lib");

require.extensions[".ts"] = (module, path) => {
  const compilerOptions = { module: typescript.ModuleKind.CommonJS, target: typescript.ScriptTarget.ES2021 };
  const { outputText } = typescript.transpileModule(readFileSync(path, "utf8"), { compilerOptions });
  module._compile(outputText, path);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  if (parent?.filename?.startsWith(SUITE_CHECKOUT)) {
    if (request.startsWith(".")) {
      const path = join(parent.path, request);
      // The npm release stands in for the checkout's sources.
      if (path === lib || path.startsWith(`${lib}/`)) {
        return resolve.call(
          this,
          join(SUITE_PACKAGES, "ioredis/built", relative(lib, path)),
          parent,
          ...rest,
        );
      }
    } else if (!Module.isBuiltin(request)) {
      return resolve.call(this, request, { ...parent, paths: [SUITE_PACKAGES] }, ...rest);
    }
  }
  return resolve.call(this, request, parent, ...rest);
};

if (SUITE_URL) {
  const { warmlineConnector } = require(join(__dirname, "../../../dist/ioredis.cjs"));
  const Connector = warmlineConnector({ url: SUITE_URL, token: SUITE_TOKEN });
  const standalone = require(join(SUITE_PACKAGES, "ioredis/built/connectors/StandaloneConnector"));
  const Tcp = standalone.default;
  const isRedis = ({ port, host, path, tls }) =>
    port === 6379 && /^(localhost|127\.0\.0\.1)$/.test(host ?? "localhost") && !path && !tls;
  standalone.default = new Proxy(Tcp, {
    construct(target, [options]) {
      if (!isRedis(options)) return new target(options); // the tests' own servers
      globalThis.connectorUses = (globalThis.connectorUses ?? 0) + 1;
      return new Connector(options);
    },
  });
}
