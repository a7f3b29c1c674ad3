import { fileURLToPath } from "node:url";

const handler = (name) => fileURLToPath(new URL(name, import.meta.url));

export default {
  cacheComponents: true,
  cacheHandler: handler("./cache-handler.mjs"),
  cacheHandlers: { default: handler("./use-cache-handler.mjs") },
  cacheMaxMemorySize: 0,
};
