import type { GeoCommands } from "../../../../src/commands/geo.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

const palermo = { longitude: 13.361389, latitude: 38.115556, member: "Palermo" };
const equator = { longitude: 0, latitude: 0, member: { at: 0 } };
const around = { type: "FROMLONLAT", coordinate: { lon: 15, lat: 37 } };
const circle = { type: "BYRADIUS", radius: 200, radiusType: "KM" };
const box = { type: "bybox", rect: { width: 400, height: 300 }, rectType: "M" };

export const geoSamples: Samples<GeoCommands<ReplyMode>> = {
  geoadd: [
    [["g", palermo], 'GEOADD g 13.361389 38.115556 <"Palermo">', 1],
    [["g", equator, palermo], 'GEOADD g 0 0 <{"at":0}> 13.361389 38.115556 <"Palermo">', 2],
    [["g", { nx: true, ch: true }, equator], 'GEOADD g NX CH 0 0 <{"at":0}>', 0],
    [["g", { xx: true }, equator], 'GEOADD g XX 0 0 <{"at":0}>', 0],
  ],
  geodist: [
    [["g", "a", 1], 'GEODIST g <"a"> <1>', "166274.1516", 166274.1516],
    [["g", "a", "b", "KM"], 'GEODIST g <"a"> <"b"> KM', null],
    [["g", "a", "b", "M"], 'GEODIST g <"a"> <"b"> M', "545518.8700", 545518.87],
  ],
  geohash: [
    [["g", "a", "b"], 'GEOHASH g <"a"> <"b">', ["sqc8b49rny0", null]],
    [["g", ["a"]], 'GEOHASH g <"a">', ["1234"]],
  ],
  geopos: [[["g", "a", "b"], 'GEOPOS g <"a"> <"b">', [["0", "1.5"], null], [{ lng: 0, lat: 1.5 }, null]]],
  geosearch: [
    [
      ["g", around, circle, "ASC"],
      "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 KM ASC",
      ["1"],
      [{ member: 1 }],
    ],
    [
      ["g", { type: "frommember", member: "a" }, box, "desc", { count: { limit: 2, any: true } }],
      'GEOSEARCH g frommember <"a"> bybox 400 300 M desc COUNT 2 ANY',
      [],
    ],
    [
      ["g", around, circle, "ASC", { withCoord: true, withDist: true, withHash: true, count: { limit: 1 } }],
      "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 KM ASC COUNT 1 WITHCOORD WITHDIST WITHHASH",
      [["a", "1.5", 3479447370796909, ["15.1", "37.2"]]],
      [{ member: "a", dist: 1.5, hash: "3479447370796909", coord: { long: 15.1, lat: 37.2 } }],
    ],
    [
      ["g", around, circle, "ASC", { withCoord: true }],
      "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 KM ASC WITHCOORD",
      [["a", ["15", "37"]]],
      [{ member: "a", coord: { long: 15, lat: 37 } }],
    ],
  ],
  geosearchstore: [
    [["d", "g", around, circle, "ASC"], "GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 KM ASC", 2],
    [
      ["d", "g", around, box, "ASC", { count: { limit: 1 }, storeDist: true }],
      "GEOSEARCHSTORE d g FROMLONLAT 15 37 bybox 400 300 M ASC COUNT 1 STOREDIST",
      1,
    ],
  ],
};
