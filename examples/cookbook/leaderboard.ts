import { Redis } from "warmline";

const redis = Redis.fromEnv({ codec: "text" }); // a player called "7" stays text
const KEY = "leaderboard";

/** Stores a player's score if it is the best so far. Scores may arrive in any order. */
export async function submit(player: string, score: number): Promise<void> {
  await redis.zadd(KEY, { gt: true }, { score, member: player });
}

/** Returns the best players, each with rank and score. */
export async function top(count: number): Promise<{ rank: number; player: string; score: number }[]> {
  const flat = await redis.zrange(KEY, 0, count - 1, { rev: true, withScores: true });
  return Array.from({ length: flat.length / 2 }, (_, i) => ({
    rank: i + 1,
    player: String(flat[2 * i]),
    score: Number(flat[2 * i + 1]),
  }));
}

/** Returns a player's rank, from 1, and score, read in one transaction. Null if the player has no score. */
export async function standing(player: string): Promise<{ rank: number; score: number } | null> {
  const [rank, score] = await redis.multi().zrevrank(KEY, player).zscore(KEY, player).exec();
  return rank === null || score === null ? null : { rank: rank + 1, score };
}
