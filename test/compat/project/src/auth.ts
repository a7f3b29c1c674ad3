import { UpstashRedisAdapter } from "@auth/upstash-redis-adapter";
import { Redis } from "@upstash/redis";

const redis = Redis.fromEnv();
const adapter = UpstashRedisAdapter(redis, { baseKeyPrefix: "auth:" });
const user = await adapter.createUser!({
  id: "",
  email: "ada@example.com",
  emailVerified: new Date(0),
  name: "Ada",
});
await adapter.linkAccount!({
  userId: user.id,
  type: "oauth",
  provider: "github",
  providerAccountId: "00123",
});
const expires = new Date(Date.now() + 60_000);
await adapter.createSession!({ sessionToken: "session", userId: user.id, expires });
const found = await adapter.getSessionAndUser!("session");
await adapter.createVerificationToken!({ identifier: "ada", token: "12345", expires });
const used = await adapter.useVerificationToken!({ identifier: "ada", token: "12345" });
const results = {
  byId: (await adapter.getUser!(user.id))?.name,
  byEmail: (await adapter.getUserByEmail!("ada@example.com"))?.name,
  byAccount: (await adapter.getUserByAccount!({ provider: "github", providerAccountId: "00123" }))?.name,
  verified: found?.user.emailVerified instanceof Date,
  expires: found?.session.expires.getTime() === expires.getTime(),
  token: used?.token,
  twice: await adapter.useVerificationToken!({ identifier: "ada", token: "12345" }),
};
await adapter.updateUser!({ id: user.id, name: "Ada L." });
const renamed = (await adapter.getUser!(user.id))?.name;
// Deletes keys of a session and an account, one of which is not there: null among the keys.
await adapter.deleteUser!(user.id);
const accountless = await adapter.createUser!({
  id: "",
  email: "bob@example.com",
  emailVerified: null,
  name: "Bob",
});
await adapter.deleteUser!(accountless.id);
console.log(
  JSON.stringify({
    ...results,
    renamed,
    gone: await adapter.getUser!(user.id),
    left: await redis.keys("auth:*"),
  }),
);
