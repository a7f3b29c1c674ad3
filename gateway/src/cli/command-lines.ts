import { styleText } from "node:util";
import type { TracedCommand } from "../trace/traced-command.js";

/** Keys shown of one command, and characters of one key. */
const MAX_KEYS = 4;
const MAX_CHARACTERS = 80;

/** Whether a stream's reader wants colours: a terminal does, unless NO_COLOR says otherwise. */
export function wantsColours(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
}

/** One line for a command that was run, such as `12:01:03.250 SET user:1 0.4 ms`. */
export function commandLine(command: TracedCommand, at: Date, colours: boolean): string {
  const { name, keys, ms, error, transaction } = command;
  const style = (format: "dim" | "cyan" | "red", text: string) =>
    colours ? styleText(format, text, { validateStream: false }) : text;
  const more = keys.length > MAX_KEYS ? [style("dim", `and ${keys.length - MAX_KEYS} more`)] : [];
  return [
    style("dim", timeOf(at)),
    ...(transaction ? [style("dim", "MULTI")] : []),
    style("cyan", name),
    ...keys.slice(0, MAX_KEYS).map(shown),
    ...more,
    style("dim", `${ms.toFixed(1)} ms`),
    ...(error === null ? [] : [style("red", error)]),
  ].join(" ");
}

/** A key as it is, or in quotes where it holds anything that a terminal would act on, or that is hard to see. */
function shown(key: string): string {
  const text = key.length > MAX_CHARACTERS ? `${key.slice(0, MAX_CHARACTERS)}…` : key;
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text) && !text.includes('"') ? text : quoted(text);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[^\p{L}\p{N}\p{P}\p{S} ]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function timeOf(at: Date): string {
  return `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
