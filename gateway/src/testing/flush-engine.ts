import { once } from "node:events";
import type { Engine } from "../engine/engine.js";
import { command } from "../resp/command.js";

const FLUSH = [command("FLUSHALL"), command("SCRIPT", "FLUSH")];
const DONE = "+OK\r\n".repeat(FLUSH.length);

/**
 * Empties an engine over a connection of its own. It takes no HTTP, so that a test that replaced `fetch` can still flush.
 * @throws {Error} with Redis's own error text, when it refuses
 */
export async function flushEngine(engine: Engine): Promise<void> {
  const connection = engine.connect();
  try {
    connection.write(Buffer.concat(FLUSH.map(({ bytes }) => bytes)));
    let reply = "";
    while (reply.length < DONE.length && !reply.includes("-")) {
      const [chunk] = await once(connection, "data");
      reply += chunk;
    }
    if (reply !== DONE) throw new Error(`the test gateway could not be flushed: ${reply.trim()}`);
  } finally {
    connection.destroy();
  }
}
