import { Redis } from "warmline";

export interface Session {
  user: string;
  cart: string[];
}

const redis = Redis.fromEnv();
const TTL = 3_600; // seconds since the last use
const keyOf = (id: string) => `session:${id}`;

/** Stores a new session. Returns its id, for a cookie that is HttpOnly and Secure. */
export async function createSession(user: string): Promise<string> {
  const id = crypto.randomUUID();
  await redis.set<Session>(keyOf(id), { user, cart: [] }, { ex: TTL });
  return id;
}

/** Returns the session and extends its life, or returns null if it has expired. */
export function readSession(id: string): Promise<Session | null> {
  return redis.getex<Session>(keyOf(id), { ex: TTL });
}

/** Changes a session. Returns null if there is none: a session that has ended is not created again. */
export function changeSession(id: string, change: (session: Session) => Session): Promise<Session | null> {
  return redis.update<Session>(keyOf(id), (session) => (session ? change(session) : undefined));
}

export async function endSession(id: string): Promise<void> {
  await redis.del(keyOf(id));
}
