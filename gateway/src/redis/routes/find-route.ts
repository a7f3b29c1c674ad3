import { getCommandInfo } from "../../commands/command-info.js";
import { keyPatternsOf } from "../../commands/key-patterns.js";
import { getKeyIndexes } from "../../commands/keys.js";
import { onceCallOf } from "../../commands/once.js";
import { beginsWith } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { errorOf } from "../../resp/replies.js";
import type { Upstream } from "../upstream.js";
import { stripped } from "./strip.js";

/** An upstream and the keys that it is for. */
export interface RoutedUpstream {
  /** The prefix of those keys. Empty for all keys without another route. */
  readonly prefix: Buffer;
  readonly strip: boolean;
  readonly upstream: Upstream;
}

export const TWO_ROUTES = errorOf(
  "ERR the keys of this command belong to different routes: send one command per route",
);
const UNKNOWN_KEYS = errorOf(
  "ERR the keys of this command are not known, so a route that strips its prefix can't run it",
);
const PATTERNS = errorOf("ERR a route that strips its prefix can't run BY or GET with a pattern");

/** The route of a command. */
export interface Found {
  readonly route: RoutedUpstream;
  /** The command for that Redis, without the prefix if the route strips it. */
  readonly command: Command;
  /** Whether it has keys, which lead there. */
  readonly keys: boolean;
  /** The name of what is run in the end. */
  readonly name: string;
}

/**
 * Finds the route of a command, by its keys.
 * @param routes longer prefixes first; the last one is for the rest
 */
export function findRoute(routes: readonly RoutedUpstream[], command: Command): Found | { error: Buffer } {
  const info = getCommandInfo(command);
  const own = info?.pubsub ? [] : getKeyIndexes(command, info);
  const { name } = command;
  if (!own || own.length === 0) return { route: routes.at(-1)!, command, keys: false, name };
  // A write made repeatable has keys of its own, and those of the command that it runs.
  const once = onceCallOf(command);
  const inner = once ? getKeyIndexes(once.wrapped) : [];
  const indexes = [...own, ...(inner ?? []).map((at) => at + once!.from)];
  const [route, ...others] = new Set(indexes.map((place) => routeOf(routes, command, place)));
  if (!route || others.length > 0) return { error: TWO_ROUTES };
  if (!route.strip) return { route, command, keys: true, name };
  const run = once?.wrapped ?? command;
  if (keyPatternsOf(run).length > 0) return { error: PATTERNS };
  if (!inner) return { error: UNKNOWN_KEYS };
  return { route, command: stripped(command, indexes, route.prefix.length), keys: true, name: run.name };
}

function routeOf(routes: readonly RoutedUpstream[], command: Command, place: number): RoutedUpstream {
  const reader = command.argReader(place);
  const length = reader.nextLength();
  return routes.find(({ prefix }) => beginsWith(command.bytes, reader.at, reader.at + length, prefix))!;
}
