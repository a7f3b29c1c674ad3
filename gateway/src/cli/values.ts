import { FileError } from "../config/yaml-file.js";
import { checkValue } from "../settings/options.js";
import type { AnySetting } from "../settings/table.js";
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
 * Converts a given value to the setting's type.
 * @throws {UsageError} that names the value's source and the expected form. The value is repeated only if it can't be a secret.
 */
export function readValue<S extends AnySetting>(
  setting: S,
  { value, from }: Given,
): ReturnType<S["kind"]["parse"]> {
  try {
    const parsed = setting.kind.parse(value, from);
    // Options are checked together, with their defaults.
    if (setting.scope === "command line") checkValue(from, setting, parsed);
    return parsed;
  } catch (error) {
    throw error instanceof TypeError || error instanceof FileError ? new UsageError(error.message) : error;
  }
}
