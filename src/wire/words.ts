import { ArgumentError } from "../errors.js";

/** One word of a command as it is sent. */
export type Word = string | Uint8Array;

/**
 * Turns a command's arguments into words, as the JSON of the REST protocol would: numbers and booleans by their
 * text, objects and arrays as JSON, bytes as they are.
 * @throws ArgumentError for what has no faithful form: undefined, NaN, functions, symbols, lone surrogates.
 */
export function toWords(command: string, args: readonly unknown[]): Word[] {
  // A subcommand is a word of its own: OBJECT ENCODING.
  const words: Word[] = command.includes(" ") ? command.split(" ") : [command];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    words.push(typeof arg === "string" && arg.isWellFormed() ? arg : toWord(command, arg, i));
  }
  return words;
}

function toWord(command: string, arg: unknown, index: number): Word {
  switch (typeof arg) {
    case "string":
      throw refused(command, index, "text with a lone surrogate, which UTF-8 can't hold; send bytes instead");
    case "number":
      if (Number.isNaN(arg)) throw refused(command, index, "NaN");
      return String(arg);
    case "bigint":
    case "boolean":
      return String(arg);
    case "object":
      return arg instanceof Uint8Array ? arg : jsonWord(command, arg, index);
    default:
      throw refused(command, index, typeof arg);
  }
}

function jsonWord(command: string, value: unknown, index: number): Word {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw refused(command, index, "an object that can't be written as JSON", cause);
  }
  if (json === undefined) throw refused(command, index, "an object that can't be written as JSON");
  // A Date, or any object whose JSON is a string, is stored as that text: quotes would come back as part of it.
  return json.startsWith('"') ? JSON.parse(json) : json;
}

function refused(command: string, index: number, what: string, cause?: unknown): ArgumentError {
  return new ArgumentError(`${command}: argument ${index + 1} is ${what}`, {
    outcome: "unsent",
    command,
    cause,
  });
}
