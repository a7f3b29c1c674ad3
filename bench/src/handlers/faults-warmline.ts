import { Redis, type WriteMode } from "warmline";
import { createHandler } from "../faults/calls.js";

const writes = process.env.BENCH_WRITES as WriteMode | undefined;

export const handler = createHandler(({ url, token }) => new Redis({ url, token, writes }));
