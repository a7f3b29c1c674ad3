/**
 * Lazy features: what few use, loaded on first use where size matters. To be kept apart by bundlers it imports nothing but
 * types of the rest of the client: what it needs of that it is given with the executor.
 */

export { readChecked } from "../execution/check-schema.js";
export { runMiddleware, sendDirect, timeoutError } from "../execution/middleware.js";
export { toPath, toResp2 } from "../protocol/request.js";
export { sha1 } from "../util/sha1.js";
export { makeRepeatable, withRepeatableReads } from "./exactly-once/guard.js";
export { iterate } from "./iterators.js";
export { monitor } from "./monitor.js";
export { rawCommand } from "./raw-command.js";
export { Subscriptions } from "./subscribe/subscriptions.js";
export { update } from "./update.js";
