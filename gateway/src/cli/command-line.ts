import { parseArgs } from "node:util";
import { flags } from "../settings/flags.js";
import { UsageError } from "./usage-error.js";

/**
 * Returns the values of flags, and as `command` the arguments after `--`, or undefined without it.
 * @throws {UsageError} when a flag is unknown or lacks its value.
 */
export function parseCommandLine(argv: readonly string[]) {
  const dashes = argv.indexOf("--");
  const options: Record<string, { type: "string" | "boolean"; multiple?: boolean }> = {
    help: { type: "boolean" },
    version: { type: "boolean" },
    config: { type: "string" },
  };
  for (const { name, setting } of flags) {
    const kind = setting.kind.name;
    options[name] = { type: kind === "switch" ? "boolean" : "string", multiple: kind === "list" };
  }
  let parsed: { values: Record<string, unknown>; tokens: { kind: string; index: number }[] };
  try {
    parsed = parseArgs({
      args: dashes === -1 ? [...argv] : argv.slice(0, dashes),
      options,
      allowPositionals: true,
      allowNegative: true,
      tokens: true,
    });
  } catch (error) {
    // Node's text goes on with advice for programmers after the first sentence.
    const [what = ""] = (error as Error).message.split(/\.\s|\n/);
    const advice = what.includes("ambiguous")
      ? "put = before a value that begins with a dash, as in --tokens=..."
      : "see --help";
    throw new UsageError(
      `${what.replace(/\.$/, "").replace(/^./, (first) => first.toLowerCase())}; ${advice}`,
    );
  }
  // It is not named, since it may be the rest of a secret with a space.
  const stray = parsed.tokens.find(({ kind }) => kind === "positional");
  if (stray) {
    throw new UsageError(
      `argument ${stray.index + 1} is unexpected; a command to run comes after --, as in: warmline-gateway -- npm run dev`,
    );
  }
  return { values: parsed.values, command: dashes === -1 ? undefined : argv.slice(dashes + 1) };
}
