import { ArgumentError } from "../errors.js";

/** One word of a command as it is sent. */
export type Word = string | Uint8Array;

/**
 * Turns a command's arguments into words, as the JSON of the REST protocol would: numbers and booleans by their
 * text, objects and arrays as JSON, bytes as they are.
 * @param place where the command stands in its pipeline, if in one.
 * @throws ArgumentError for what has no faithful form: undefined, NaN, functions, symbols, lone surrogates.
 */
export function toWords(command: string, args: readonly unknown[], place?: number): Word[] {
  // A subcommand is a word of its own: OBJECT ENCODING.
  const words: Word[] = command.includes(" ") ? command.split(" ") : [command];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    words.push(typeof arg === "string" && arg.isWellFormed() ? arg : toWord(command, arg, i, place));
  }
  return words;
}

function toWord(command: string, arg: unknown, at: number, index?: number): Word {
  let what: string = typeof arg;
  let cause: unknown;
  if (arg instanceof Uint8Array) return arg;
  if (what === "string") what = "text with a lone surrogate: send bytes instead";
  else if (Number.isNaN(arg)) what = "NaN";
  else if (/^(number|bigint|boolean)$/.test(what)) return String(arg);
  else if (what === "object") {
    try {
      const json = JSON.stringify(arg);
      // A Date, or any object whose JSON is a string, is stored as that text: quotes would come back as part of it.
      if (json) return json.startsWith('"') ? JSON.parse(json) : json;
    } catch (error) {
      cause = error;
    }
    what = "an object that can't be written as JSON";
  }
  throw new ArgumentError(`${command}: argument ${at + 1} is ${what}`, { command, index, cause });
}

/** Whether a word is bytes, which JSON can't carry. */
export function hasBytes(words: readonly Word[]): boolean {
  for (let i = 1; i < words.length; i++) if (typeof words[i] !== "string") return true;
  return false;
}
