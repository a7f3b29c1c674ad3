import { readFileSync } from "node:fs";
import { flags } from "./flags.js";
import { UsageError } from "./usage-error.js";

/**
 * Reads the settings of a JSON file, by the names of the gateway's options.
 * @throws {UsageError} that names the file, and the line or the key at fault.
 */
export function readConfigFile(path: string): Map<string, string | number> {
  const wrong = (what: string) => new UsageError(`config file ${path}: ${what}`);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw wrong(code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`);
  }
  const values = parse(text, wrong);
  const settings = new Map<string, string | number>();
  for (const [key, value] of Object.entries(values)) {
    const flag = flags.find(({ option }) => option === key);
    if (flag === undefined) {
      throw wrong(
        `${lineOf(text, key)}there is no setting "${key}"; there are ${flags.map((each) => each.option).join(", ")}`,
      );
    }
    if (typeof value !== "string" && !(flag.isNumber && typeof value === "number")) {
      throw wrong(
        `${lineOf(text, key)}"${key}" must be ${flag.isNumber ? "a number or a string" : "a string"}`,
      );
    }
    settings.set(key, value);
  }
  return settings;
}

function parse(text: string, wrong: (what: string) => UsageError): object {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    // Node names the position of most mistakes, not of all.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw wrong(`${position === undefined ? "" : lineAt(text, Number(position))}this is not JSON`);
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw wrong("it must hold one JSON object");
  }
  return values;
}

function lineOf(text: string, key: string): string {
  const at = text.indexOf(JSON.stringify(key));
  return at === -1 ? "" : lineAt(text, at);
}

function lineAt(text: string, position: number): string {
  return `line ${text.slice(0, position).split("\n").length}: `;
}
