import { once } from "node:events";
import type { Engine } from "../engine/engine.js";
import { command } from "../resp/command.js";

const FLUSH = [command("FLUSHALL"), command("SCRIPT", "FLUSH")];

/**
 * Empties an engine over a connection of its own. It takes no HTTP, so that a test that replaced `fetch` can still flush.
 * @param functions whether functions are removed too; Redis before version 7 has none
 * @throws {Error} with Redis's own error text, when it refuses
 */
export async function flushEngine(engine: Engine, functions = false): Promise<void> {
  const commands = functions ? [...FLUSH, command("FUNCTION", "FLUSH")] : FLUSH;
  const done = "+OK\r\n".repeat(commands.length);
  const connection = engine.connect();
  try {
    connection.write(Buffer.concat(commands.map(({ bytes }) => bytes)));
    let reply = "";
    while (reply.length < done.length && !reply.includes("-")) {
      const [chunk] = await once(connection, "data");
      reply += chunk;
    }
    if (reply !== done) throw new Error(`the test gateway could not be flushed: ${reply.trim()}`);
  } finally {
    connection.destroy();
  }
}
