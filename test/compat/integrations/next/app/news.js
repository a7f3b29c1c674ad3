import { cacheLife, cacheTag } from "next/cache";

/** Returns a number that is new only when the cache does not have it. */
export async function news() {
  "use cache";
  cacheTag("news");
  cacheLife("hours");
  return Math.floor(Math.random() * 1e9);
}
