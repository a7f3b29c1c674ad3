import { createHash } from "node:crypto";
import { client, options } from "../client/function-client.js";

const connected = client.connect(options);

/** Reads a missing key, computes its value and stores it. Returns the ms of each command and in total. @throws if the key exists */
export const handler = async ({ key }: { readonly key: string }) => {
  const beganAt = performance.now();
  if ((await connected.get(key)) !== null) throw new Error("the key exists, so nothing was missing");
  const gotAt = performance.now();
  const value = createHash("sha256").update("x".repeat(1_000_000)).digest("hex");
  const computedAt = performance.now();
  await connected.set(key, value);
  const endedAt = performance.now();
  return { body: { get: gotAt - beganAt, set: endedAt - computedAt, total: endedAt - beganAt } };
};
