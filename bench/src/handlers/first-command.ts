import { client, options } from "../client/function-client.js";

/** The event of an invocation. */
export interface FirstCommandEvent {
  readonly command: "get" | "set";
}

const own = client.connect(options);

/** Returns the time in ms of the command alone. */
export const handler = async ({ command }: FirstCommandEvent): Promise<number> => {
  const began = performance.now();
  await (command === "set" ? own.set("first-write", "hello") : own.get("first-write"));
  return performance.now() - began;
};
