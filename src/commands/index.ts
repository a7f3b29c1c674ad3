import { type GenericCommands, genericCommands } from "./generic.js";
import type { Kind } from "./kind.js";
import type { Row } from "./row.js";
import { type StringCommands, stringCommands } from "./string.js";

/** Every command with a method of its own, as called under the kind `K`. */
export interface Commands<K extends Kind> extends StringCommands<K>, GenericCommands<K> {}

/** What each method does, by the method's name. */
export const rows: Readonly<Record<keyof Commands<Kind>, Row>> = {
  ...stringCommands,
  ...genericCommands,
};
