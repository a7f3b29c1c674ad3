import { UpstashError } from "../errors.js";

/** Returns the error of operations that need the indexes of Upstash's own server. */
export function refusal(what: string, kind: "search" | "vector"): UpstashError {
  const instead =
    kind === "search"
      ? "for Redis's own search, see warmline/modules"
      : "for Redis's own vector sets, use methods such as vadd and vsim";
  return new UpstashError(
    `${what}: ${kind} indexes exist only on Upstash's own server, through @upstash/redis; ${instead}`,
  );
}
