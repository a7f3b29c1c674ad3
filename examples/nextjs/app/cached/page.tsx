import { cachedRedis } from "../redis";

// Rendered while building, and again at most once in five seconds.
export const revalidate = 5;

export default async function Page() {
  // If the build has no Redis, the page begins without news.
  const news = await cachedRedis.get<string>("news").catch(() => null);
  return <p id="news">{news ?? "no news"}</p>;
}
