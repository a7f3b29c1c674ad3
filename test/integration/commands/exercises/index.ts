import type { Exercise } from "./exercise.js";
import { genericExercises } from "./generic.js";
import { geoExercises } from "./geo.js";
import { hashExercises } from "./hash.js";
import { listExercises } from "./list.js";
import { functionExercises, pubsubExercises, scriptingExercises, serverExercises } from "./server.js";
import { setExercises } from "./set.js";
import {
  arrayExercises,
  bitmapExercises,
  connectionExercises,
  hyperloglogExercises,
  jsonExercises,
  vectorSetExercises,
} from "./small-groups.js";
import { sortedSetExercises } from "./sorted-set.js";
import { streamExercises } from "./stream.js";
import { stringExercises } from "./string.js";

/** Exercises by group, in the order of Redis's documentation. */
export const groups: Record<string, Readonly<Record<string, Exercise>>> = {
  string: stringExercises,
  hash: hashExercises,
  list: listExercises,
  set: setExercises,
  "sorted set": sortedSetExercises,
  generic: genericExercises,
  bitmap: bitmapExercises,
  hyperloglog: hyperloglogExercises,
  geo: geoExercises,
  stream: streamExercises,
  scripting: scriptingExercises,
  functions: functionExercises,
  "pub/sub": pubsubExercises,
  server: serverExercises,
  connection: connectionExercises,
  json: jsonExercises,
  array: arrayExercises,
  "vector set": vectorSetExercises,
};

const NAMESPACES = new Set(["json", "functions"]);

/** Returns the name of a group's method as users call it, such as `get` or `json.get`. */
export function methodName(group: string, method: string): string {
  return NAMESPACES.has(group) ? `${group}.${method}` : method;
}

/** Every exercise, by the method's name. */
export const exercises: Record<string, Exercise> = Object.fromEntries(
  Object.entries(groups).flatMap(([group, methods]) =>
    Object.entries(methods).map(([method, exercise]) => [methodName(group, method), exercise]),
  ),
);
