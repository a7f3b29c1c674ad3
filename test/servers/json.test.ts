import { createConnection } from "node:net";
import { describe, expect, test } from "vitest";
import { argsOf, EXAMPLES } from "../integration/engine/json-examples.js";
import { type Reply, ReplyClient } from "../support/differential/replies.js";
import { sharedByTests } from "../support/lifetime.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

// The examples that the embedded engine's JSON commands are tested with, those of redis.io among them, on RedisJSON itself.

/** Replies of RedisJSON 2.8 that differ from those of the embedded engine. */
const DIFFERENCES: Readonly<Record<string, Reply>> = {
  // RedisJSON remembers that a number was a fraction.
  "JSON.NUMMULTBY d $ 24": "$[36.0]",
};

/** A reply without what differs by design: the texts of errors, and the order of an object's members. */
function comparable(reply: Reply): unknown {
  if (typeof reply !== "string") return reply.map(comparable);
  if (reply.startsWith("-")) return "an error";
  return /^\$\{"/.test(reply) ? JSON.parse(reply.slice(1)) : reply;
}

describe("RedisJSON 2.8", NEEDS_SERVERS, () => {
  const server = sharedByTests(() => startRedis8("rejson"));
  const client = sharedByTests(async () => new ReplyClient(createConnection(server.path!)));

  test.each(Object.entries(EXAMPLES))("RedisJSON replies the same: %s", async (_, { document, steps }) => {
    const commands = steps.map(([command]) => argsOf(command));
    const setup = [["FLUSHALL"], ["JSON.SET", "d", "$", JSON.stringify(document)]];
    const replies = (await client.run([...setup, ...commands])).slice(setup.length);
    const compared = steps.map(([command], index) => [command, comparable(replies[index]!)]);
    const expected = steps.map(([command, reply]) => [
      command,
      comparable(DIFFERENCES[String(command)] ?? reply),
    ]);
    expect(compared).toEqual(expected);
  });
});
