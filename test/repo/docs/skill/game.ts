// Task: "Log players in, at most three times a minute each, with a session that lasts an hour from its last use. Keep the best score of
// each player, and return the ten best with their names."
import { Redis } from "warmline";

const redis = Redis.fromEnv();
const HOUR = 3_600;

const attempts = redis.createScript<number>(`
local used = redis.call("INCR", KEYS[1])
if used == 1 then redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
return used`);

export async function login(player: string, name: string): Promise<string | null> {
  if ((await attempts.exec([`login:${player}`], [60_000])) > 3) return null;
  const session = crypto.randomUUID();
  await redis
    .pipeline()
    .set(`session:${session}`, { player }, { ex: HOUR })
    .set(`player:${player}`, { name })
    .exec();
  return session;
}

export async function addScore(session: string, score: number): Promise<boolean> {
  const found = await redis.getex<{ player: string }>(`session:${session}`, { ex: HOUR });
  if (!found) return false;
  await redis.zadd("scores", { gt: true }, { score, member: found.player });
  return true;
}

export async function best(): Promise<{ name: string; score: number }[]> {
  const flat = await redis.zrange<(string | number)[]>("scores", 0, 9, { rev: true, withScores: true });
  const players = flat.filter((_, at) => at % 2 === 0);
  if (players.length === 0) return [];
  const stored = await redis.mget<({ name: string } | null)[]>(
    ...players.map((player) => `player:${player}`),
  );
  return players.map((player, at) => ({
    name: stored[at]?.name ?? String(player),
    score: Number(flat[2 * at + 1]),
  }));
}
