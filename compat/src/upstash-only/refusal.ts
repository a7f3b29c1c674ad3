import { UpstashError } from "../errors.js";

/** Returns the rejection of an operation that needs the indexes of Upstash's own server. */
export async function refuse(operation: string, kind: string, instead: string): Promise<never> {
  throw new UpstashError(
    `${operation}: ${kind} indexes exist only on Upstash's own server, through @upstash/redis; ${instead}`,
  );
}
