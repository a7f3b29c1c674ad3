import { Redis } from "warmline";

const redis = Redis.fromEnv();

await redis.set("account", { balance: 10 });

async function withdraw(amount) {
  const account = await redis.update("account", ({ balance }) => ({ balance: balance - amount }));
  return account.balance;
}

await Promise.all([withdraw(1), withdraw(2), withdraw(3)]);

console.log(JSON.stringify({ account: await redis.get("account"), keys: await redis.keys("*") }));
