// The storage of NestJS' throttler.
import "reflect-metadata";
import { ThrottlerStorageRedisService } from "@nest-lab/throttler-storage-redis";
import { done, ioredis } from "./connect.mjs";

const storage = new ThrottlerStorageRedisService(ioredis());
const hits = [];
for (let i = 0; i < 4; i++) {
  const { totalHits, isBlocked } = await storage.increment("ip", 60_000, 2, 60_000, "default");
  hits.push([totalHits, isBlocked]);
}
done({ hits });
