import { type ConnectionCommands, connectionCommands } from "./connection.js";
import { type GenericCommands, genericCommands } from "./generic.js";
import { type HashCommands, hashCommands } from "./hash.js";
import type { Kind } from "./kind.js";
import { type ListCommands, listCommands } from "./list.js";
import type { Row } from "./row.js";
import { type SetCommands, setCommands } from "./set.js";
import { type SortedSetCommands, sortedSetCommands } from "./sorted-set.js";
import { type StringCommands, stringCommands } from "./string.js";

/** Every command with a method of its own, as called under the kind `K`. */
export interface Commands<K extends Kind>
  extends StringCommands<K>,
    HashCommands<K>,
    ListCommands<K>,
    SetCommands<K>,
    SortedSetCommands<K>,
    GenericCommands<K>,
    ConnectionCommands<K> {}

/** What each method does, by the method's name. */
export const rows: Readonly<Record<keyof Commands<Kind>, Row>> = {
  ...stringCommands,
  ...hashCommands,
  ...listCommands,
  ...setCommands,
  ...sortedSetCommands,
  ...genericCommands,
  ...connectionCommands,
};
