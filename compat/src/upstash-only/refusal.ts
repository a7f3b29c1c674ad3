import { UpstashError } from "../errors.js";

/** What the indexes of Upstash's own server can't do here. */
export function refusal(what: string, kind: "search" | "vector"): UpstashError {
  const instead =
    kind === "search"
      ? "Redis's own search is in warmline/modules"
      : "Redis's own vector sets have methods of their own, such as vadd and vsim";
  return new UpstashError(
    `${what}: ${kind} indexes belong to Upstash's own server, which speaks to @upstash/redis alone; ${instead}`,
  );
}
