// Two caches in memory and Redis, as in two processes: a change in one removes the value from the other's memory, by the bus.
import { BentoCache, bentostore } from "bentocache";
import { memoryDriver } from "bentocache/drivers/memory";
import { redisBusDriver, redisDriver } from "bentocache/drivers/redis";
import { done, options, pause } from "./connect.mjs";

const create = () =>
  new BentoCache({
    default: "two",
    stores: {
      two: bentostore()
        .useL1Layer(memoryDriver({ maxSize: "1mb" }))
        .useL2Layer(redisDriver({ connection: options }))
        .useBus(redisBusDriver({ connection: options })),
    },
  });
const [one, other] = [create(), create()];
let calls = 0;
const factory = () => ({ calls: ++calls });
await one.getOrSet({ key: "k", factory, ttl: "1m" });
const shared = await other.getOrSet({ key: "k", factory, ttl: "1m" });
await pause(200);
await one.set({ key: "k", value: { calls: 9 } });
await pause(300);
const updated = await other.get({ key: "k" });
await one.delete({ key: "k" });
await pause(300);
done({ shared, updated, deleted: (await other.get({ key: "k" })) ?? null });
