/**
 * Lazy features: what few use, loaded on first use where size matters. To be kept apart by bundlers it imports nothing but
 * types of the rest of the client: what it needs of that it is given with the executor.
 */
export { iterate } from "./client/iterators.js";
export { runMiddleware, sendDirect, timeoutError } from "./client/requester.js";
export { sha1 } from "./client/sha1.js";
export { update } from "./client/update.js";
export { readChecked } from "./commands/checked.js";
export { rawCommand } from "./commands/raw.js";
export { makeRepeatable, withRepeatableReads } from "./once/guard.js";
export { monitor } from "./subscribe/monitor.js";
export { Subscriptions } from "./subscribe/subscriptions.js";
export { toPath, toResp2 } from "./wire/request.js";
