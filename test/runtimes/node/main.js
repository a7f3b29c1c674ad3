import * as warmline from "warmline";
import { runChecks } from "../checks/run.js";
import { zlibChecks } from "../checks/zlib.js";

// For every runtime that takes the entry for Node. Nothing ends it: open connections must not keep it alive.
const report = await runChecks(warmline, JSON.parse(process.env.SETUP), zlibChecks);
console.log(JSON.stringify(report));
