import arrayCommands, { type ArrayCommands } from "./array.js";
import { type BitFieldCommand, type BitmapCommands, bitfield, bitmapCommands } from "./bitmap.js";
import connectionCommands, { type ConnectionCommands } from "./connection.js";
import genericCommands, { type GenericCommands } from "./generic.js";
import geoCommands, { type GeoCommands } from "./geo.js";
import hashCommands, { type HashCommands } from "./hash.js";
import hyperloglogCommands, { type HyperLogLogCommands } from "./hyperloglog.js";
import jsonCommands, { type JsonCommands } from "./json.js";
import listCommands, { type ListCommands } from "./list.js";
import pubsubCommands, { type PubSubCommands } from "./pubsub.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import {
  type FunctionCommands,
  functionCommands,
  type ScriptingCommands,
  scriptingCommands,
} from "./scripting.js";
import serverCommands, { type ServerCommands } from "./server.js";
import setCommands, { type SetCommands } from "./set.js";
import sortedSetCommands, { type SortedSetCommands } from "./sorted-set.js";
import type { CommandSpec } from "./spec.js";
import streamCommands, { type StreamCommands } from "./stream.js";
import stringCommands, { type StringCommands } from "./string.js";
import vectorSetCommands, { type VectorSetCommands } from "./vector-set.js";

/** The commands that are methods of a client, in the reply mode `K`. https://redis.io/commands/ describes each. */
export interface Commands<K extends ReplyMode>
  extends StringCommands<K>,
    HashCommands<K>,
    ListCommands<K>,
    SetCommands<K>,
    SortedSetCommands<K>,
    GenericCommands<K>,
    ConnectionCommands<K>,
    BitmapCommands<K>,
    HyperLogLogCommands<K>,
    GeoCommands<K>,
    StreamCommands<K>,
    ScriptingCommands<K>,
    ServerCommands<K>,
    PubSubCommands<K>,
    ArrayCommands<K>,
    VectorSetCommands<K> {}

/** Returns the specs of a group of commands, by method. */
export type Group = () => Readonly<Record<string, CommandSpec>>;

/** Groups, most used first: a lookup creates the specs of one group after another until it finds the method. */
const groups: readonly Group[] = [
  stringCommands,
  genericCommands,
  hashCommands,
  listCommands,
  setCommands,
  sortedSetCommands,
  scriptingCommands,
  streamCommands,
  pubsubCommands,
  connectionCommands,
  bitmapCommands,
  hyperloglogCommands,
  geoCommands,
  serverCommands,
  arrayCommands,
  vectorSetCommands,
];

/** Returns the spec of a method, or undefined if there is no such command. */
export function getSpec(method: string): CommandSpec | undefined {
  for (const specs of groups) if (Object.hasOwn(specs(), method)) return specs()[method];
  return undefined;
}

/** Commands whose methods are grouped in an object. */
export interface Namespaces<K extends ReplyMode> {
  /** Commands on JSON documents. */
  readonly json: JsonCommands<K>;
  /** Commands on functions that are loaded into Redis. */
  readonly functions: FunctionCommands<K>;
}

/** The group of each namespace. */
export const namespaces: Readonly<Record<keyof Namespaces<ReplyMode>, Group>> = {
  json: jsonCommands,
  functions: functionCommands,
};

/** Returns the specs of each group, by method. */
export const everyGroup = () => groups.map((specs) => specs());

/** Commands that are built up by a chain of calls. */
export interface Builders<K extends ReplyMode> {
  /** Reads and changes integers of any width inside a string: chain the operations, then `exec()`. */
  bitfield(key: Key): BitFieldCommand<Reply<K, number[]>>;
}

/** For each builder, a function that creates its method. Its argument sends the finished command. */
export const builders: Record<keyof Builders<ReplyMode>, typeof bitfield> = { bitfield };
