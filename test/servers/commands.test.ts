import type { RedisServer } from "../../testbed/src/index.js";
import { describeExercises } from "../integration/commands/exercises/describe.js";
import { NEEDS_SERVERS, startRedis8, startValkey } from "./support/servers.js";

// The exercises of every method, on servers that Debian does not have.

async function behind(server: RedisServer): Promise<{ args: string[]; stop: () => Promise<void> }> {
  return { args: ["--redis", server.url], stop: () => server.stop() };
}

for (const responseFormat of ["resp2", "json"] as const) {
  const start = async () => behind(await startRedis8("rejson"));
  describeExercises({ engine: "redis-8.2", responseFormat, options: NEEDS_SERVERS, start });
}
describeExercises({
  engine: "valkey-9.1",
  responseFormat: "resp2",
  options: NEEDS_SERVERS,
  start: async () => behind(await startValkey()),
});
