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

export type SeedFile = ReturnType<typeof readSeedFile>;

/** A seed file can't be used. The message names the file and the line, but contains no argument. */
export class SeedError extends Error {}

/**
 * Reads a file with one command per line, in redis-cli's quoting or as a JSON array. Skips empty lines and lines that begin
 * with `#`.
 * @param opened commands that are allowed although the gateway refuses them by default: see `denialReason`. Default: none
 * @throws {SeedError} when the file can't be read, a line is malformed, or its command blocks or is refused by the gateway
 */
export function readSeedFile(path: string, opened?: ReadonlySet<string>) {
  let text: string;
  try {
    // latin1 decodes each byte to one character, so no byte is lost.
    text = readTextFile(path, "latin1");
  } catch (error) {
    throw new SeedError(`seed: ${(error as FileError).message}`);
  }
  const commands: SeedCommand[] = [];
  for (const [index, content] of text.split("\n").entries()) {
    const trimmed = content.replace(/^[ \t\v\f\r]+|[ \t\v\f\r]+$/g, "");
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const line = index + 1;
    try {
      const isJson = trimmed.startsWith("[");
      const command = isJson
        ? readJsonCommand(Buffer.from(trimmed, "latin1"))
        : commandOf(splitLine(trimmed));
      const reason =
        waitOf(command) === null ? denialReason(command, { kind: "single", before: 0 }, opened) : BLOCKS;
      if (reason !== null) throw new BadRequest(reason);
      commands.push({ command, line });
    } catch (error) {
      if (!(error instanceof QuoteError) && !(error instanceof BadRequest)) throw error;
      throw new SeedError(`seed: ${path}: line ${line}: ${error.message.replace(/^ERR /, "")}`);
    }
  }
  return { path, commands };
}

const BLOCKS = "a blocking command is not allowed here";
