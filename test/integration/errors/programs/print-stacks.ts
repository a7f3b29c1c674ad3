import { type AddressInfo, createServer } from "node:net";
import { Redis } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { calls } from "./calls.js";

// Prints the name and stack of the error of each call in calls.ts, by entry and the name of the call.

const { url = "", token = "" } = JSON.parse(process.argv[2]!);
const stacks: Record<string, Record<string, string | undefined>> = {};
const main = async () => {
  const blackHole = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((listening) => blackHole.once("listening", listening));
  const { port } = blackHole.address() as AddressInfo;
  for (const [entry, Client] of Object.entries({ node: Redis, fetch: FetchRedis })) {
    const redis = new Client({ url, token });
    const down = new Client({ url: "http://127.0.0.1:1", token, retry: false });
    const silent = new Client({ url: `http://127.0.0.1:${port}`, token, timeout: 50 });
    await redis.set("text", "x");
    for (const [name, call] of Object.entries(calls(redis, down, silent))) {
      async function handler() {
        await call();
      }
      const error = await handler().catch((reason: Error) => reason);
      stacks[`${entry} ${name}`] = { stack: error?.stack, name: error?.name };
    }
  }
  process.stdout.write(JSON.stringify(stacks), () => process.exit());
};
main();
