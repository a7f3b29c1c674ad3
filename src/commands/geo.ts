import { optional, options, optionsOr, rest, scalar, stored, storedEach } from "./args.js";
import { digits, float, int, list, orNull, type Part, selectParts, struct, text, value } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { MemberCondition } from "./sorted-set.js";
import type { Decoder } from "./spec.js";
import type { AtMostOne, IfNone, MemberOr, MembersAfter, OnlyKnown } from "./types.js";

/** Metres, kilometres, feet or miles. */
export type GeoUnit = "M" | "KM" | "FT" | "MI" | "m" | "km" | "ft" | "mi";

/** A member and its place, in degrees. */
export interface GeoMember<T> {
  /** In degrees. */
  latitude: number;
  /** In degrees. */
  longitude: number;
  /** The member's name. */
  member: T;
}

/** Whether geoadd only adds members (`nx`) or only moves existing ones (`xx`), and what it counts. */
export type GeoAddCommandOptions = AtMostOne<MemberCondition, "only one of nx and xx"> & {
  /** Returns how many were changed, rather than how many are new. */
  ch?: boolean | undefined;
};

/** Around a member, or around a point in degrees. */
export type CenterPoint<T> =
  | { type: "FROMMEMBER" | "frommember"; member: T }
  | { type: "FROMLONLAT" | "fromlonlat"; coordinate: { lon: number; lat: number } };

/** A circle or a rectangle. */
export type Shape =
  | { type: "BYRADIUS" | "byradius"; radius: number; radiusType: GeoUnit }
  | { type: "BYBOX" | "bybox"; rect: { width: number; height: number }; rectType: GeoUnit };

/** Maximum number of members that geosearch returns. */
export interface GeoCount {
  /** Maximum number of members; with `any` the first found rather than the nearest. */
  count?: { limit: number; any?: boolean | undefined } | undefined;
}

/** Values that geosearch returns with each member. */
export interface GeoSearchCommandOptions extends GeoCount {
  /** Returns each member's place. */
  withCoord?: boolean | undefined;
  /** Returns each member's distance from the centre, in the unit of the shape. */
  withDist?: boolean | undefined;
  /** Returns each member's geohash as an integer's text. */
  withHash?: boolean | undefined;
}

/** Values that geosearchstore stores. */
export interface GeoSearchStoreCommandOptions extends GeoCount {
  /** Stores distances from the centre as scores, in the unit of the shape. */
  storeDist?: boolean | undefined;
}

/** A place, in degrees. */
export interface GeoCoordinates {
  /** Longitude in degrees. */
  long: number;
  /** Latitude in degrees. */
  lat: number;
}

/** A member found, with the values that the options request; `dist` in the unit of the shape. */
export type GeoMatch<T, O extends GeoSearchCommandOptions> = { member: T } & (O extends { withCoord: true }
  ? { coord: GeoCoordinates }
  : { coord?: GeoCoordinates }) &
  (O extends { withDist: true } ? { dist: number } : { dist?: number }) &
  (O extends { withHash: true } ? { hash: string } : { hash?: string });

/** Nearest or farthest first. */
export type SortOrder = "ASC" | "DESC" | "asc" | "desc";

/** Commands on places. */
export interface GeoCommands<K extends ReplyMode> {
  /** Sets members' places. Returns how many are new, or with `ch` how many changed. */
  geoadd<
    T = unknown,
    First extends MemberOr<First, GeoMember<T>, GeoAddCommandOptions> = GeoMember<T> | GeoAddCommandOptions,
  >(key: Key, memberOrOptions: First, ...members: MembersAfter<First, GeoMember<T>>): Reply<K, number | null>;
  /** Returns the distance of two members, in metres unless a unit is given, or null if one is missing. */
  geodist<T = unknown>(key: Key, member1: T, member2: T, unit?: GeoUnit): Reply<K, number | null>;
  /** Returns members' geohashes, with null for missing members. */
  geohash<T = unknown>(key: Key, ...members: T[]): Reply<K, (string | null)[]>;
  /** Returns members' places in degrees, with null for missing members. */
  geopos<T = unknown>(key: Key, ...members: T[]): Reply<K, ({ lng: number; lat: number } | null)[]>;
  /** Returns the members inside a shape, nearest or farthest first. */
  geosearch<
    T = Stored<K>,
    O extends GeoSearchCommandOptions & OnlyKnown<O, GeoSearchCommandOptions> = GeoSearchCommandOptions,
  >(
    key: Key,
    centerPoint: CenterPoint<T>,
    shape: Shape,
    order: SortOrder,
    opts?: O | IfNone<O, GeoSearchCommandOptions>,
  ): Reply<K, GeoMatch<T, O>[]>;
  /** Stores the members inside a shape. Returns their number. */
  geosearchstore<T = unknown>(
    destination: Key,
    key: Key,
    centerPoint: CenterPoint<T>,
    shape: Shape,
    order: SortOrder,
    opts?: GeoSearchStoreCommandOptions,
  ): Reply<K, number>;
}

export default defineCommands(() => {
  const place = options("longitude!= latitude!= member!:=");
  const center = options("type!= member:= coordinate=", { coordinate: options("lon!= lat!=") });
  const shape = options("type!= radius= rect= radiusType= rectType=", { rect: options("width!= height!=") });
  const matching = (flags: string) => options(`count= ${flags}`, { count: options("limit=COUNT any?") });

  // Redis returns them in this order, whatever the order of the options.
  const MATCH: Part[] = [
    ["member", value],
    ["dist", float, "withDist"],
    ["hash", digits, "withHash"],
    ["coord", struct({ long: float, lat: float }), "withCoord"],
  ];

  const match: Decoder = (reply, decode, args) => {
    const parts = selectParts(args[4], MATCH);
    return struct(parts)(Object.keys(parts).length > 1 ? reply : [reply], decode, args);
  };

  return {
    geoadd: write(orNull(int), scalar, optionsOr(options("nx? xx? ch?"), place), rest(place, 0)),
    geodist: read(orNull(float), scalar, stored, stored, optional(scalar)),
    geohash: read(list(orNull(text)), scalar, rest(storedEach)),
    geopos: read(list(orNull(struct({ lng: float, lat: float }))), scalar, rest(storedEach)),
    geosearch: read(
      list(match),
      scalar,
      center,
      shape,
      optional(scalar),
      matching("withCoord? withDist? withHash?"),
    ),
    geosearchstore: write(int, scalar, scalar, center, shape, optional(scalar), matching("storeDist?")),
  };
}) satisfies () => Record<keyof GeoCommands<ReplyMode>, unknown>;
