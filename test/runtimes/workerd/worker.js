import * as warmline from "warmline";
import { runChecks } from "../checks/run.js";

export default {
  async fetch(request) {
    return Response.json(await runChecks(warmline, await request.json()));
  },
};
