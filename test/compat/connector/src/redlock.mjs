// A lock that excludes another holder, is extended and released.
import Redlock from "redlock";
import { done, ioredis } from "./connect.mjs";

const redlock = new Redlock([ioredis()], { retryCount: 1, retryDelay: 20 });
const lock = await redlock.acquire(["locks:a"], 5_000);
const second = await redlock.acquire(["locks:a"], 5_000).then(
  () => "acquired",
  ({ name }) => name,
);
const extended = await lock.extend(10_000);
await extended.unlock();
const third = await redlock.acquire(["locks:a"], 5_000).then(
  () => "acquired",
  ({ name }) => name,
);
done({ second, third });
