import { expect } from "vitest";
import type { GeoCommands } from "../../../../src/commands/geo.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { Redis } from "../../../../src/index.js";
import { type Exercises, on } from "./exercise.js";

const palermo = { longitude: 13.361389, latitude: 38.115556, member: "Palermo" };
const catania = { longitude: 15.087269, latitude: 37.502669, member: "Catania" };
const around = { type: "FROMLONLAT", coordinate: { lon: 15, lat: 37 } } as const;
const circle = { type: "BYRADIUS", radius: 200, radiusType: "KM" } as const;

const filled = (run: (redis: Redis) => Promise<void>) =>
  on(async (redis) => {
    await redis.geoadd("g", palermo, catania);
    await run(redis);
  });

export const geoExercises: Exercises<GeoCommands<Immediate>> = {
  geoadd: on(async (redis) => {
    expect(await redis.geoadd("g", palermo, catania)).toBe(2);
    expect(await redis.geoadd("g", { xx: true, ch: true }, { ...palermo, longitude: 14 })).toBe(1);
    expect(await redis.geoadd("g", { nx: true }, { longitude: 0, latitude: 0, member: { zero: 1 } })).toBe(1);
  }),
  geodist: filled(async (redis) => {
    expect(await redis.geodist("g", "Palermo", "Catania")).toBe(166274.1516);
    expect(await redis.geodist("g", "Palermo", "Catania", "KM")).toBe(166.2742);
    expect(await redis.geodist("g", "Palermo", "none")).toBeNull();
  }),
  geohash: filled(async (redis) => {
    expect(await redis.geohash("g", "Palermo", "none")).toEqual(["sqc8b49rny0", null]);
  }),
  geopos: filled(async (redis) => {
    const [first, second] = await redis.geopos("g", "Palermo", "none");
    expect(first?.lng).toBeCloseTo(13.361389, 4);
    expect(first?.lat).toBeCloseTo(38.115556, 4);
    expect(second).toBeNull();
  }),
  geosearch: filled(async (redis) => {
    expect(await redis.geosearch("g", around, circle, "ASC")).toEqual([
      { member: "Catania" },
      { member: "Palermo" },
    ]);
    const found = await redis.geosearch("g", around, circle, "DESC", {
      withCoord: true,
      withDist: true,
      withHash: true,
      count: { limit: 1 },
    });
    expect(found).toEqual([
      {
        member: "Palermo",
        dist: 190.4424,
        hash: "3479099956230698",
        coord: { long: expect.closeTo(13.361389, 4), lat: expect.closeTo(38.115556, 4) },
      },
    ]);
    const box = { type: "BYBOX", rect: { width: 400, height: 400 }, rectType: "KM" } as const;
    expect(
      await redis.geosearch("g", { type: "FROMMEMBER", member: "Catania" }, box, "ASC", { withDist: true }),
    ).toEqual([
      { member: "Catania", dist: 0 },
      { member: "Palermo", dist: 166.2742 },
    ]);
  }),
  geosearchstore: filled(async (redis) => {
    expect(await redis.geosearchstore("d", "g", around, circle, "ASC", { count: { limit: 1 } })).toBe(1);
    expect(await redis.zrange("d", 0, -1)).toEqual(["Catania"]);
    expect(await redis.geosearchstore("d", "g", around, circle, "ASC", { storeDist: true })).toBe(2);
    expect(await redis.zscore("d", "Palermo")).toBeCloseTo(190.4424, 3);
  }),
};
