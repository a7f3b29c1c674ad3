import { denialReason } from "../access/denial-reasons.js";
import { BadRequest } from "../api/bad-request.js";
import { readJsonCommand } from "../api/json-args.js";
import { waitOf } from "../commands/blocking.js";
import { type FileError, readTextFile } from "../config/yaml-file.js";
import { commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import { QuoteError, splitLine } from "../util/split-line.js";

export interface SeedCommand {
  readonly command: Command;
  readonly line: number;
}

export interface SeedFile {
  readonly path: string;
  readonly commands: readonly SeedCommand[];
}

/** A file of commands can't be used. The message names the file and the line, and no argument. */
export class SeedError extends Error {}

/**
 * Reads a file of commands: one a line, in redis-cli's quoting or as a JSON array. Empty lines and lines that begin with `#`
 * are left out.
 * @param opened commands that are allowed although the gateway refuses them by default: see `denialReason`. Default: none
 * @throws {SeedError} when the file can't be read, a line is malformed, or its command blocks or is refused by the gateway
 */
export function readSeedFile(path: string, opened?: ReadonlySet<string>): SeedFile {
  let text: string;
  try {
    // One character for each byte.
    text = readTextFile(path, "latin1").replace(/^\xef\xbb\xbf/, "");
  } catch (error) {
    throw new SeedError(`seed: ${(error as FileError).message}`);
  }
  const commands: SeedCommand[] = [];
  for (const [index, given] of text.split("\n").entries()) {
    const trimmed = given.replace(/^[ \t\v\f\r]+|[ \t\v\f\r]+$/g, "");
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const line = index + 1;
    try {
      const command = commandIn(trimmed);
      const why =
        waitOf(command) === null ? denialReason(command, { kind: "single", before: 0 }, opened) : WAITS;
      if (why !== null) throw new BadRequest(why);
      commands.push({ command, line });
    } catch (error) {
      if (!(error instanceof QuoteError) && !(error instanceof BadRequest)) throw error;
      throw new SeedError(`seed: ${path}: line ${line}: ${error.message.replace(/^ERR /, "")}`);
    }
  }
  return { path, commands };
}

const WAITS = "a blocking command is not allowed here";

function commandIn(line: string): Command {
  return line.startsWith("[") ? readJsonCommand(Buffer.from(line, "latin1")) : commandOf(splitLine(line));
}
