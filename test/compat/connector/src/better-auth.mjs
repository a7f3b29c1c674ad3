// Sessions of better-auth in its secondary storage.
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { done, ioredis } from "./connect.mjs";

const redis = ioredis();
const auth = betterAuth({
  baseURL: "http://localhost:3000",
  secret: "a secret of at least thirty-two characters",
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  emailAndPassword: { enabled: true },
  secondaryStorage: {
    get: (key) => redis.get(key),
    set: (key, value, ttl) => (ttl ? redis.set(key, value, "EX", ttl) : redis.set(key, value)),
    delete: async (key) => void (await redis.del(key)),
  },
});
const body = { email: "ada@example.com", password: "correct horse battery", name: "Ada" };
const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true });
const cookie = headers
  .getSetCookie()
  .map((line) => line.split(";")[0])
  .join("; ");
const session = await auth.api.getSession({ headers: new Headers({ cookie }) });
const stored = (await redis.keys("*")).length;
await auth.api.signOut({ headers: new Headers({ cookie }) });
const after = await auth.api.getSession({ headers: new Headers({ cookie }) });
done({ name: session?.user.name, stored: stored > 0, after });
