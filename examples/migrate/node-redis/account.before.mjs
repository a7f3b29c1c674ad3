import { createClientPool } from "redis";

const redis = await createClientPool({ url: process.env.REDIS_URL }).connect();

await redis.set("account", JSON.stringify({ balance: 10 }));

async function withdraw(amount) {
  return redis.execute(async (connection) => {
    for (;;) {
      await connection.watch("account");
      const account = JSON.parse(await connection.get("account"));
      account.balance -= amount;
      try {
        await connection.multi().set("account", JSON.stringify(account)).exec();
        return account.balance;
      } catch (error) {
        if (error.constructor.name !== "WatchError") throw error;
      }
    }
  });
}

await Promise.all([withdraw(1), withdraw(2), withdraw(3)]);

console.log(JSON.stringify({ account: JSON.parse(await redis.get("account")), keys: await redis.keys("*") }));
await redis.close();
