import * as warmline from "warmline";
import { runChecks } from "../checks/run.js";

addEventListener("fetch", (event) => {
  const answer = async () => Response.json(await runChecks(warmline, await event.request.json()));
  event.respondWith(answer());
});
