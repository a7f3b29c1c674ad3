import { describe, expect, test } from "vitest";
import { facts } from "../../../scripts/commands/check.js";
import { keysOf } from "../../../scripts/commands/keys.js";
import { type RespError, startRedis } from "../../../testbed/src/index.js";
import { sharedByTests } from "../../support/lifetime.js";
import { allSpecs, samples } from "../../unit/commands/samples/index.js";

/** Arguments of every sample call, after the command's name. */
const calls = Object.entries(allSpecs).flatMap(([method, row]) =>
  samples[method]!.map(([args]) => [
    ...row.name.split(" "),
    ...row.encodeArgs((value) => JSON.stringify(value), [...args]).map(String),
  ]),
);

describe("the keys of commands", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis());

  test("the client's keys are Redis's, for every command that the server has", async () => {
    let compared = 0;
    for (const words of calls) {
      const fact = facts[`${words[0]} ${words[1]}`.toUpperCase()] ?? facts[words[0]!];
      // Redis 7.2 was the first with WITHSCORE for ranks.
      if (!fact?.keys || words.includes("WITHSCORE")) continue;
      const found = await server.command("COMMAND", "GETKEYS", ...words).catch((error: RespError) => error);
      if (found instanceof Error) {
        // Unknown to this Redis, or a call without keys.
        const expected = /Invalid command|Invalid arguments|The command has no key arguments/;
        expect(found.message, words.join(" ")).toMatch(expected);
        continue;
      }
      expect({ words, keys: keysOf(words, fact.keys) }).toEqual({ words, keys: found });
      compared++;
    }
    expect(compared).toBeGreaterThan(200);
  });
});
