import { Command, command } from "./command.js";

const ASKING = command("ASKING");

/**
 * The command with ASKING right before it, as one: nothing comes between them, and neither is written without the
 * other. The reply to ASKING is nobody's.
 */
export function asking({ bytes, size, leading }: Command): Command {
  return new Command(Buffer.concat([ASKING.bytes, bytes]), size, leading + 1);
}
