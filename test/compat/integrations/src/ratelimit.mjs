// The recipe of a rate limit: its statuses, its Retry-After, and its status while Redis cannot be reached.
import { done } from "./done.mjs";
import { handler } from "./recipes/ratelimit.mjs";

const call = (key, answer = handler) =>
  answer(new Request("http://localhost/", { headers: { "x-api-key": key } }));
const statuses = [];
for (const key of ["ada", "ada", "ada", "bob"]) statuses.push((await call(key)).status);
const wait = Number((await call("ada")).headers.get("retry-after"));
process.env.WARMLINE_URL = "http://127.0.0.1:1";
const { handler: apart } = await import("./recipes/ratelimit.mjs?apart");
done({ statuses, waits: wait >= 1 && wait <= 120, whileAway: (await call("ada", apart)).status });
