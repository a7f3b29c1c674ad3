import { UpstashError } from "../errors.js";

/** Returns the error of operations that need the indexes of Upstash's own server. */
export function refusal(what: string, kind: "search" | "vector"): UpstashError {
  const instead =
    kind === "search"
      ? "Redis's own search is in warmline/modules"
      : "Redis's own vector sets have methods of their own, such as vadd and vsim";
  return new UpstashError(
    `${what}: ${kind} indexes belong to Upstash's own server, which speaks to @upstash/redis alone; ${instead}`,
  );
}
