import { parseQuantity, SIZES, TIMES } from "../config/units.js";
import { FileError, parseYaml } from "../config/yaml-file.js";
import type { Kind } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** A value as it was given: text from a flag or a variable, anything from a config file. */
export interface Given {
  readonly value: unknown;
  /** The source of the value, for error messages: `--port`, a variable, or a place in the config file. */
  readonly from: string;
  /** In a config file: the place of what these keys and indexes lead to, from the value on. */
  readonly placeOf?: (keys: readonly (string | number)[]) => string;
  /** 0 for a flag, 1 for the environment, 2 for the config file. */
  readonly rank: number;
}

/**
 * Converts a given value to the option's type.
 * @throws {UsageError} that names the value's source and the expected form. The value is repeated only if it can't be a secret.
 */
export function readValue(kind: Kind, { value, from }: Given): unknown {
  switch (kind) {
    case "text":
      if (typeof value === "string") return value;
      if (typeof value === "number") return String(value);
      throw new UsageError(`${from}: must be a string`);
    case "integer":
      return withUnit(value, from, { "": 1 }, "a whole number");
    case "bytes":
      return withUnit(value, from, SIZES, "a size such as 500kb or 20mb");
    case "ms":
      return withUnit(value, from, TIMES, "a time such as 500ms, 10s or 5m");
    case "switch":
      if (typeof value === "boolean") return value;
      if (value === "true" || value === "1") return true;
      if (value === "false" || value === "0") return false;
      throw new UsageError(`${from}: must be true or false`);
    case "tokens":
      return typeof value === "string" ? parsed(value, from) : value;
    case "list":
      return listOf(value, from, ",");
    case "routes":
      // The URL of a cluster has commas of its own.
      return listOf(value, from, /,(?=[^,=]+=[a-z][a-z+]*:\/\/)/);
  }
}

function withUnit(
  value: unknown,
  from: string,
  units: Readonly<Record<string, number>>,
  what: string,
): number {
  const quantity = parseQuantity(value, units);
  if (quantity === null) throw new UsageError(`${from}: '${String(value)}' is not ${what}`);
  return quantity;
}

function parsed(text: string, from: string): unknown {
  try {
    return parseYaml(text, from).value;
  } catch (error) {
    throw error instanceof FileError ? new UsageError(error.message) : error;
  }
}

/** A list, or text with commas between. */
function listOf(value: unknown, from: string, separator: string | RegExp): string[] {
  const entries = Array.isArray(value) ? value : [value];
  if (!entries.every((entry) => typeof entry === "string"))
    throw new UsageError(`${from}: must be a list of strings`);
  return entries
    .flatMap((entry) => entry.split(separator))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
