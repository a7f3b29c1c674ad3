import { fileURLToPath } from "node:url";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const handler = process.env.CACHE_HANDLER;

export default {
  // `next start` reads the handler, `next build` needs none: all handlers serve the same build.
  cacheHandler: handler && pathOf(`handlers/${handler}.mjs`),
  cacheMaxMemorySize: 0,
  // Other lock files are above this folder.
  turbopack: { root: pathOf(".") },
  outputFileTracingRoot: pathOf("."),
};
