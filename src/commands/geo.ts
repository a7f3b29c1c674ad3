import { digits, float, int, list, orNull, text, tuple, value } from "./decoders.js";
import type { Key, Kind, Reply } from "./kind.js";
import type { Decoder } from "./row.js";
import { named, read, write } from "./rows.js";
import type { AtMostOne } from "./types.js";
import { arg, data, maybe, option, options, type Piece } from "./words.js";

export type GeoUnit = "M" | "KM" | "FT" | "MI" | "m" | "km" | "ft" | "mi";

export interface GeoMember<T> {
  /** In degrees. */
  latitude: number;
  /** In degrees. */
  longitude: number;
  member: T;
}

export type GeoAddCommandOptions = AtMostOne<{ nx: boolean; xx: boolean }> & {
  /** Give how many were changed, rather than how many are new. */
  ch?: boolean;
};

/** Around a member, or around a point in degrees. */
export type CenterPoint<T> =
  | { type: "FROMMEMBER" | "frommember"; member: T }
  | { type: "FROMLONLAT" | "fromlonlat"; coordinate: { lon: number; lat: number } };

/** A circle or a rectangle. */
export type Shape =
  | { type: "BYRADIUS" | "byradius"; radius: number; radiusType: GeoUnit }
  | { type: "BYBOX" | "bybox"; rect: { width: number; height: number }; rectType: GeoUnit };

interface GeoCount {
  /** At most this many; with `any` the first found rather than the nearest. */
  count?: { limit: number; any?: boolean };
}

export interface GeoSearchCommandOptions extends GeoCount {
  withCoord?: boolean;
  withDist?: boolean;
  withHash?: boolean;
}

export interface GeoSearchStoreCommandOptions extends GeoCount {
  /** Store distances from the centre as scores. */
  storeDist?: boolean;
}

export interface GeoCoordinates {
  long: number;
  lat: number;
}

/** A member found, with what the options asked for; `dist` in the unit of the shape. */
export type GeoMatch<T, O extends GeoSearchCommandOptions> = { member: T } & (O extends { withCoord: true }
  ? { coord: GeoCoordinates }
  : { coord?: GeoCoordinates }) &
  (O extends { withDist: true } ? { dist: number } : { dist?: number }) &
  (O extends { withHash: true } ? { hash: string } : { hash?: string });

export type SortOrder = "ASC" | "DESC" | "asc" | "desc";

export interface GeoCommands<K extends Kind> {
  /** Sets members' places. Gives how many are new, or with `ch` how many changed. */
  geoadd<T = unknown>(key: Key, member: GeoMember<T>, ...members: GeoMember<T>[]): Reply<K, number | null>;
  geoadd<T = unknown>(
    key: Key,
    opts: GeoAddCommandOptions,
    member: GeoMember<T>,
    ...members: GeoMember<T>[]
  ): Reply<K, number | null>;
  /** Gives the distance between two members, in metres unless a unit is given, or null where one is missing. */
  geodist<T = unknown>(key: Key, member1: T, member2: T, unit?: GeoUnit): Reply<K, number | null>;
  /** Gives members' geohashes, null where one is missing. */
  geohash<T = unknown>(key: Key, ...members: T[]): Reply<K, (string | null)[]>;
  /** Gives members' places in degrees, null where one is missing. */
  geopos<T = unknown>(key: Key, ...members: T[]): Reply<K, ({ lng: number; lat: number } | null)[]>;
  /** Gives the members inside a shape, nearest or farthest first. */
  geosearch<T = unknown, O extends GeoSearchCommandOptions = GeoSearchCommandOptions>(
    key: Key,
    centerPoint: CenterPoint<T>,
    shape: Shape,
    order: SortOrder,
    opts?: O,
  ): Reply<K, GeoMatch<T, O>[]>;
  /** Stores the members inside a shape. Gives how many they are. */
  geosearchstore<T = unknown>(
    destination: Key,
    key: Key,
    centerPoint: CenterPoint<T>,
    shape: Shape,
    order: SortOrder,
    opts?: GeoSearchStoreCommandOptions,
  ): Reply<K, number>;
}

// The second argument may be options or the first member already.
const place: Piece = (out, given, encode) => {
  if ("member" in given) out.push(given.longitude, given.latitude, encode(given.member));
  else options("nx xx ch")(out, given, encode);
};

const center: Piece = (out, { type, member, coordinate }, encode) => {
  out.push(type);
  if (coordinate) out.push(coordinate.lon, coordinate.lat);
  else out.push(encode(member));
};

const shape: Piece = (out, { type, radius, radiusType, rect, rectType }) => {
  out.push(type);
  if (rect) out.push(rect.width, rect.height, rectType);
  else out.push(radius, radiusType);
};

const searching: Piece = (out, given, encode) => {
  if (given?.count) option(out, "count", given.count.any ? [given.count.limit, "ANY"] : given.count.limit);
  options("withCoord withDist withHash storeDist")(out, given, encode);
};

const members: Piece = (out, given, encode) => {
  for (const member of [given].flat()) out.push(encode(member));
};

const point = tuple(float, float);
const position = (...reply: Parameters<Decoder>) => point(...reply) as [number, number];

const match: Decoder = (reply, decode, args) => {
  const { withDist, withHash, withCoord } = args[4] ?? {};
  if (!withDist && !withHash && !withCoord) return { member: value(reply, decode, args) };
  const parts = tuple(
    value,
    ...(withDist ? [float] : []),
    ...(withHash ? [digits] : []),
    ...(withCoord ? [point] : []),
  )(reply, decode, args) as unknown[];
  const found: Record<string, unknown> = { member: parts.shift() };
  if (withDist) found.dist = parts.shift();
  if (withHash) found.hash = parts.shift();
  if (withCoord) {
    const [long, lat] = parts.shift() as [number, number];
    found.coord = { long, lat };
  }
  return found;
};

export const geoCommands = named({
  geoadd: write(orNull(int), arg, place),
  geodist: read(orNull(float), arg, data, data, maybe),
  geohash: read(list(orNull(text)), arg, members),
  geopos: read(
    list(
      orNull((...reply) => {
        const [lng, lat] = position(...reply);
        return { lng, lat };
      }),
    ),
    arg,
    members,
  ),
  geosearch: read(list(match), arg, center, shape, arg, searching),
  geosearchstore: write(int, arg, arg, center, shape, arg, searching),
}) satisfies Record<keyof GeoCommands<Kind>, unknown>;
