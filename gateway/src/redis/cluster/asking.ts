import { Command, command } from "../../resp/command.js";

const ASKING = command("ASKING");

/**
 * Returns the command with ASKING right before it, as one unit. No command is written between them, and neither is written
 * without the other. The reply to ASKING is discarded.
 */
export function asking({ bytes, size, leading }: Command): Command {
  return new Command(Buffer.concat([ASKING.bytes, bytes]), size, leading + 1);
}
