import { argsOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import { LazyMap } from "../util/lazy-map.js";
import { type CommandInfo, getCommandInfo } from "./command-info.js";
import { KEYS_BY_OPTIONS } from "./keys-by-options.js";

/** Finds the keys of a command; null when its arguments are not of the form that the command must have. */
type Finder = (command: Command) => readonly number[] | null;

const NONE: readonly number[] = [];
const finders = new LazyMap(finderOf);

/**
 * Returns the indexes of a command's keys, in the order of `COMMAND GETKEYS`. The command's name has index 0.
 * @param info the result of `getCommandInfo`, if the caller has it already
 * @returns an empty list if the command has no keys; null if they can't be determined: the command is unknown, accesses data
 *   other than by its arguments, or is malformed, in which case Redis refuses it as well
 */
export function getKeyIndexes(
  command: Command,
  info: CommandInfo | null = getCommandInfo(command),
): readonly number[] | null {
  if (info === null) return null;
  const { arity, keys } = info;
  if (arity < 0 ? command.size < -arity : arity > 0 && command.size !== arity) return null;
  return finders.of(keys)(command);
}

function finderOf(notation: string): Finder {
  if (notation === "-") return () => NONE;
  if (notation === "?") return () => null;
  const [name, from] = notation.split("@");
  const byOptions = KEYS_BY_OPTIONS[name!];
  if (byOptions) return (command) => byOptions(argsOf(command), Number(from));
  const parts = notation.split(",").map(partOf);
  if (parts.length === 1) return parts[0]!;
  return (command) => {
    const indexes = parts.flatMap((part) => part(command));
    return indexes.includes(null) ? null : (indexes as number[]);
  };
}

function partOf(notation: string): Finder {
  const range = /^(\d+)(?:\.\.(-?\d+))?(?:\/(\d+))?$/.exec(notation);
  if (range) {
    const first = Number(range[1]);
    if (range[2] === undefined) {
      const alone = [first];
      return ({ size }) => (first < size ? alone : null);
    }
    const last = Number(range[2]);
    return ({ size }) => indexRange(first, last < 0 ? size + last : last, Number(range[3] ?? 1), size);
  }
  const counted = /^#(\d+)@(\d+)(?:\/(\d+))?$/.exec(notation);
  if (!counted) throw new Error(`unknown notation for keys: ${notation}`);
  const [at, first, step] = [Number(counted[1]), Number(counted[2]), Number(counted[3] ?? 1)];
  return (command) => {
    const text = command.text(at);
    // As strict as Redis, so that both see the same number.
    if (!/^(?:0|[1-9]\d{0,8})$/.test(text)) return null;
    return indexRange(first, first + Number(text) * step - 1, step, command.size);
  };
}

/** Every `step`-th argument from `first` to `last`; null if there are fewer arguments, or the last step is not whole. */
function indexRange(first: number, last: number, step: number, size: number): readonly number[] | null {
  if (last >= size || (last - first + 1) % step !== 0) return null;
  const found: number[] = [];
  for (let at = first; at <= last; at += step) found.push(at);
  return found;
}
