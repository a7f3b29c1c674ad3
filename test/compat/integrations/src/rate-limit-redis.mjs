// Requests above the limit are refused.

import { done, serve } from "./done.mjs";
import { app } from "./recipes/rate-limit-redis.mjs";

const url = await serve(app);
const statuses = [];
for (let i = 0; i < 4; i++) statuses.push((await fetch(url)).status);
done(statuses);
