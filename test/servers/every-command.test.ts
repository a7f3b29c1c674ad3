import { beforeAll, describe, expect, test } from "vitest";
import { reasonLeftOut } from "../../scripts/commands/check.js";
import { Redis } from "../../src/index.js";
import { type RedisServer, type Resp, startGatewayProcess } from "../../testbed/src/index.js";
import type { Engine } from "../integration/commands/exercises/exercise.js";
import { exercises } from "../integration/commands/exercises/index.js";
import { sharedByTests } from "../support/lifetime.js";
import { allSpecs } from "../unit/commands/samples/index.js";
import { NEEDS_SERVERS, startRedis8, startValkey } from "./support/servers.js";

// Every command that a server has: it has an exercise that runs, or a reason to have no method.

interface Rig {
  readonly engine: Engine;
  readonly start: () => Promise<RedisServer>;
  /** Commands of this server that no other has, and for which the client has no method. */
  readonly unknown: readonly string[];
}

const OF_VALKEY = [
  "CLUSTERSCAN",
  ...["GET", "HELP", "LEN", "RESET"].map((subcommand) => `COMMANDLOG ${subcommand}`),
  "DELIFEQ",
];

const rigs: Rig[] = [
  { engine: "redis-8.2", start: () => startRedis8("rejson"), unknown: [] },
  { engine: "valkey-9.1", start: startValkey, unknown: OF_VALKEY },
];

/** Names of the commands with an exercise that runs on an engine. */
function exercisedOn(engine: Engine): Set<string> {
  const methods = Object.keys(allSpecs).filter((method) => !exercises[method]!.lackedBy.includes(engine));
  return new Set([...methods.map((method) => allSpecs[method]!.name), "BITFIELD"]);
}

/** Names of the server's commands. Containers of subcommands are none, unless they take no subcommand too. */
async function commandsOf(server: RedisServer): Promise<string[]> {
  const names = ((await server.command("COMMAND", "LIST")) as Resp[]).map((name) =>
    String(name).toUpperCase(),
  );
  const containers = new Set(names.filter((name) => name.includes("|")).map((name) => name.split("|")[0]!));
  return names.filter((name) => !containers.has(name)).map((name) => name.replace("|", " "));
}

describe.each(rigs)("the commands of $engine", NEEDS_SERVERS, ({ engine, start, unknown }) => {
  let names: string[];
  const server = sharedByTests(() => start());
  const gateway = sharedByTests(() => startGatewayProcess({ args: ["--redis", server.url] }));
  const redis = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
  beforeAll(async () => {
    names = await commandsOf(server);
  });

  test("every command has an exercise that runs here, or a reason to have no method", () => {
    const exercised = exercisedOn(engine);
    // XGROUP and XINFO are one method each.
    const hasExercise = (name: string) => exercised.has(name) || exercised.has(name.split(" ")[0]!);
    expect(names.filter((name) => !hasExercise(name) && !reasonLeftOut(name)).sort()).toEqual(unknown);
  });

  test("a command without a method gets one reply through the gateway, and the server stays up", async () => {
    const others = names.filter((name) => !exercisedOn(engine).has(name));
    // The order of the settings changes between two calls when Redis moves their hash table.
    const settings = async () => {
      const reply = (await server.command("CONFIG", "GET", "*")) as string[];
      return Object.fromEntries(reply.flatMap((name, at) => (at % 2 === 0 ? [[name, reply[at + 1]]] : [])));
    };
    const before = await settings();
    for (const name of others) {
      // The reply to a command without arguments is mostly an error.
      const body = JSON.stringify(name.split(" "));
      const headers = { Authorization: `Bearer ${gateway.token}` };
      const response = await fetch(gateway.url, { method: "POST", headers, body });
      expect([200, 400, 403], name).toContain(response.status);
      const reply = Object.keys((await response.json()) as object);
      expect(reply, name).toEqual([response.status === 200 ? "result" : "error"]);
      expect(await redis.echo(name), name).toBe(name);
    }
    expect(await settings()).toEqual(before);
  });
});
