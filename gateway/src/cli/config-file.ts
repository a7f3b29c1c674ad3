import { nearest } from "../config/nearest.js";
import { FileError, pathText, readYamlFile } from "../config/yaml-file.js";
import { flags } from "../settings/flags.js";
import { UsageError } from "./usage-error.js";

/** A value as it was given: text from a flag or a variable, anything from a config file. */
export interface Given {
  readonly value: unknown;
  /** The source of the value, for error messages: `--port`, a variable, or a place in the config file. */
  readonly from: string;
  /** Returns the place in the config file of the part of the value that these keys and indexes lead to. */
  readonly placeOf?: (keys: readonly (string | number)[]) => string;
  /** Whether it is from the command line. */
  readonly isFlag?: true;
}

/**
 * Reads the settings of a YAML or JSON file, by the names of the gateway's options.
 * @throws {UsageError} that names the file and, if one setting is at fault, its line and key.
 */
export function readConfigFile(path: string): Map<string, Given> {
  let file: ReturnType<typeof readYamlFile>;
  try {
    file = readYamlFile(path);
  } catch (error) {
    throw error instanceof FileError ? new UsageError(`config file ${error.message}`) : error;
  }
  const { value } = file;
  // An empty file sets nothing.
  if (value === null) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new UsageError(`config file ${path}: it must hold settings by name, such as port: 8080`);
  }
  const names = flags.map(({ option }) => option);
  const settings = new Map<string, Given>();
  for (const [key, each] of Object.entries(value)) {
    const line = file.lineOf([key]);
    if (!names.includes(key)) {
      const near = nearest(key, names);
      // Another name may hold a secret, as in `{ token:s }`.
      const what =
        near === undefined
          ? "there is no such setting; --help lists all"
          : `there is no setting "${key}"; did you mean "${near}"?`;
      throw new UsageError(`config file ${path}: line ${line}: ${what}`);
    }
    if (each === null) continue;
    const placeOf = (keys: readonly (string | number)[]) =>
      `config file ${path}: line ${file.lineOf([key, ...keys])}: ${pathText(key, keys)}`;
    settings.set(key, { value: each, from: `config file ${path}: line ${line}: ${key}`, placeOf });
  }
  return settings;
}
