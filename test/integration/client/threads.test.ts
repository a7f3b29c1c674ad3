import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { startGateway } from "warmline-gateway/testing";

const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const { Redis } = require("warmline");
const redis = new Redis(workerData);
redis.incr("n").then(() => redis.incr("n")).then(() => parentPort.postMessage(redis.stats().opened));
`;

test("each worker thread has connections of its own", async () => {
  const { url, token, close } = await startGateway();
  const threads = [1, 2].map(() => new Worker(PROGRAM, { eval: true, workerData: { url, token } }));
  expect(await Promise.all(threads.map((thread) => once(thread, "message")))).toEqual([[1], [1]]);
  await Promise.all(threads.map((thread) => thread.terminate()));
  await close();
});
