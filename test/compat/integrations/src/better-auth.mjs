// A session is stored in Redis, found by its cookie, and gone after signing out.
import { Redis } from "warmline";
import { done } from "./done.mjs";
import { auth } from "./recipes/better-auth.mjs";

const body = { email: "ada@example.com", password: "correct horse battery", name: "Ada" };
const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true });
const cookies = headers.getSetCookie().map((line) => line.split(";")[0]);
const cookie = cookies.join("; ");
const session = await auth.api.getSession({ headers: new Headers({ cookie }) });
const stored = (await Redis.fromEnv().keys("auth:*")).length > 0;
await auth.api.signOut({ headers: new Headers({ cookie }) });
done({
  name: session?.user.name,
  stored,
  after: await auth.api.getSession({ headers: new Headers({ cookie }) }),
});
