// Requests above the limit are refused, for each key of its own.

import { done } from "./done.mjs";
import { app } from "./recipes/hono-rate-limiter.mjs";

const statusOf = async (key) => (await app.request("/", { headers: { "x-api-key": key } })).status;
const statuses = [];
for (const key of ["a", "a", "a", "b"]) statuses.push(await statusOf(key));
done(statuses);
