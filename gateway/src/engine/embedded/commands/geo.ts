import type { RedisDatabase } from "js-redis-server/core";
import { sortedMembers } from "../collections/adopt.js";
import type { Member } from "../collections/sorted-members.js";
import { peek } from "../keyspace.js";
import { array, type CommandTable, type Context, integer, withDatabase } from "./define.js";

const EARTH_RADIUS_METERS = 6_372_797.560856;
const MAX_LATITUDE = 85.05112878;
/** Bits of each coordinate in a score, where the bits of both alternate. The lowest is one of the latitude. */
const BITS = 26;
/** Maximum number of cells of one search. */
const MAX_CELLS = 16;
/** Margin of an area in degrees, since positions are rounded. */
const MARGIN = 1e-5;

interface Position {
  readonly lon: number;
  readonly lat: number;
}

interface SearchArguments extends Partial<Position> {
  readonly member?: Buffer;
  readonly from?:
    | ({ readonly type: "lonlat" } & Position)
    | { readonly type: "member"; readonly member: Buffer };
  readonly by:
    | { readonly kind: "radius"; readonly radiusMeters: number }
    | { readonly kind: "box"; readonly widthMeters: number; readonly heightMeters: number };
}

/** A range of scores, from the first one up to, but without, the second. */
type Scores = readonly [from: number, to: number];

const toDegrees = (radians: number) => (radians * 180) / Math.PI;
const toRadians = (degrees: number) => (degrees * Math.PI) / 180;

/** The cell of a coordinate, of 2 ** {@link BITS} in its range. */
const cellOf = (degrees: number, limit: number) => Math.floor(((degrees + limit) / (2 * limit)) * 2 ** BITS);

/**
 * The scores of all positions in an area. Undefined if the area reaches a pole or the date line: then all positions are
 * compared.
 */
function scoresAround(center: Position, by: SearchArguments["by"]): Scores[] | undefined {
  const [width, height] =
    by.kind === "radius" ? [2 * by.radiusMeters, 2 * by.radiusMeters] : [by.widthMeters, by.heightMeters];
  const north = toDegrees(height / 2 / EARTH_RADIUS_METERS) + MARGIN;
  const furthest = Math.abs(center.lat) + north;
  if (furthest >= MAX_LATITUDE) return undefined;
  const east = toDegrees(width / 2 / EARTH_RADIUS_METERS / Math.cos(toRadians(furthest))) + MARGIN;
  if (Math.abs(center.lon) + east >= 180) return undefined;
  const cells = (middle: number, span: number, limit: number) =>
    [cellOf(middle - span, limit), cellOf(middle + span, limit)] as const;
  const [left, right] = cells(center.lon, east, 180);
  const [bottom, top] = cells(center.lat, north, MAX_LATITUDE);
  // Cells are joined until there are few.
  let shift = 0;
  const count = (first: number, last: number) => (last >> shift) - (first >> shift) + 1;
  while (count(left, right) * count(bottom, top) > MAX_CELLS) shift += 1;
  const ranges: Scores[] = [];
  const size = 4 ** shift;
  for (let x = left >> shift; x <= right >> shift; x += 1) {
    for (let y = bottom >> shift; y <= top >> shift; y += 1) {
      const from = interleaved(y, x) * size;
      ranges.push([from, from + size]);
    }
  }
  return ranges.sort(([a], [b]) => a - b);
}

/** Returns a number with the bits of two others in turn. The lowest is one of the first number. */
function interleaved(low: number, high: number): number {
  let result = 0;
  for (let bit = BITS - 1; bit >= 0; bit -= 1)
    result = result * 4 + ((high >> bit) & 1) * 2 + ((low >> bit) & 1);
  return result;
}

/** The position that a score stands for: the middle of its cell. */
function positionOf(score: number): Position {
  let [x, y] = [0, 0];
  let rest = score;
  for (let bit = 0; bit < BITS; bit += 1) {
    const pair = rest % 4;
    y += (pair % 2) * 2 ** bit;
    x += Math.floor(pair / 2) * 2 ** bit;
    rest = Math.floor(rest / 4);
  }
  const middle = (cell: number, limit: number) => ((cell + 0.5) / 2 ** BITS) * 2 * limit - limit;
  return { lon: middle(x, 180), lat: middle(y, MAX_LATITUDE) };
}

/** Returns a context in which a search sees only its center and the members near its area. */
function withinArea(args: SearchArguments, ctx: Context): Context {
  const centerMember = args.member ?? (args.from?.type === "member" ? args.from.member : undefined);
  const given = args.from?.type === "lonlat" ? args.from : args;
  const getSortedSet: RedisDatabase["getSortedSet"] = (key) => {
    const zset = ctx.db.getSortedSet(key);
    const all = sortedMembers(zset);
    const center = centerMember && all.get(centerMember.toString("hex"));
    const { lon, lat } = center ? positionOf(center.score) : given;
    const ranges = lon === undefined || lat === undefined ? undefined : scoresAround({ lon, lat }, args.by);
    if (!zset || !ranges) return zset;
    const members = new Map<string, Member>();
    const add = (member: Member) => members.set(member.member.toString("hex"), member);
    if (center) add(center);
    const placeOf = (bound: number) => all.order.countWhile(({ score }) => score < bound);
    for (const [from, to] of ranges)
      for (const member of all.order.slice(placeOf(from), placeOf(to))) add(member);
    return { ...zset, members };
  };
  return withDatabase(ctx, { getSortedSet });
}

const SEARCHES = "geosearch geosearchstore georadius georadius_ro georadiusbymember georadiusbymember_ro";

/** Replaces the searches for positions, which in the library look at all members. */
export function addGeoCommands(table: CommandTable): void {
  table.replace(SEARCHES, (base) => ({
    ...base,
    execute(given, ctx) {
      const args = given as SearchArguments;
      const keys = base.keys(args);
      const [source, target] = base.name === "geosearchstore" ? keys.toReversed() : keys;
      // For a key that does not exist, a missing member is not an error.
      if (peek(ctx.db, source!)) return base.execute(args, withinArea(args, ctx));
      if (!target) return array([]);
      ctx.db.delete(target);
      return integer(0);
    },
  }));
}
