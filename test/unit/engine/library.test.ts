import { createRequire } from "node:module";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);

// The embedded engine replaces parts of its library that are not made to be replaced. docs/architecture.md lists these borders.
// After an update, read what has changed there, and run the comparison suites.
test("the library is the one whose borders the engine knows", () => {
  const versions = ["js-redis-server", "lua-redis-wasm"].map((name) => {
    // Its package.json is no export.
    const path = require.resolve(name).replace(/([\\/]node_modules[\\/][^\\/]+)[\\/].*/, "$1/package.json");
    return `${name} ${require(path).version}`;
  });
  expect(versions).toEqual(["js-redis-server 0.3.0", "lua-redis-wasm 1.5.0"]);
});
