import { describe } from "vitest";
import { Redis } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";

/** Runs tests with the client of each entry. Types are those of the entry for Node, which has all options. */
export function describeEntries(suite: (Client: typeof Redis, entry: "Node" | "fetch") => void): void {
  describe("on the entry for Node", () => suite(Redis, "Node"));
  describe("on the entry for fetch", () => suite(FetchRedis as unknown as typeof Redis, "fetch"));
}
