import { resolve } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { commandsPage, type Method } from "../../../scripts/commands/page.js";
import { bitfieldSpec } from "../../../src/commands/bitmap.js";
import type { Engine, Exercise } from "../../integration/commands/exercises/exercise.js";
import { groups, methodName } from "../../integration/commands/exercises/index.js";
import { bloomExercises } from "../../integration/commands/exercises/modules.js";
import { searchExercises } from "../../integration/commands/exercises/search.js";
import { allSpecs, moduleSamples, moduleSpecs, samples } from "../../unit/commands/samples/index.js";
import type { Sample } from "../../unit/commands/samples/sample.js";

/** Names of the engines on the page. */
const ENGINES: Readonly<Record<Engine, string>> = {
  embedded: "embedded engine",
  "redis-7.0": "Redis 7.0",
  "redis-8.2": "Redis 8.2",
  "valkey-9.1": "Valkey 9.1",
};

/** The engines that tests run a command of a group on. */
function testedOn(group: string, { lackedBy }: Exercise): string[] {
  if (lackedBy.length === 0) return ["all"];
  const engines = (Object.keys(ENGINES) as Engine[]).filter((engine) => !lackedBy.includes(engine));
  const names = engines.map((engine) => ENGINES[engine]);
  return group === "json" ? names.map((name) => name.replace("Redis 8.2", "RedisJSON 2.8")) : names;
}

const callsOf = (all: readonly Sample[]): Method["samples"] =>
  all.map(([args, , reply, returns = reply]) => [args, returns] as const);

/** The module that tests run a method of `warmline/modules` on, if any. */
function testedModule(method: string): string[] {
  if (method in bloomExercises) return ["RedisBloom 2.8"];
  return method in searchExercises ? ["RediSearch 2.10"] : [];
}

/** The modules' methods, as soon as the package has an entry for them. */
function modules(): Record<string, Method[]> {
  if (!("./modules" in manifest.exports)) return {};
  const methods = Object.entries(moduleSpecs).map(([method, spec]) => ({
    name: method.replace(".", "(redis)."),
    spec,
    tested: testedModule(method),
    samples: callsOf(moduleSamples[method]!),
  }));
  return { 'modules, from "warmline/modules"': methods };
}

const BITFIELD = 'bitfield("flags").get("u8", 0).incrby("u8", 8, 1).exec() // [3, 1]';

test("docs/commands.md is generated from the specs", async () => {
  const described = Object.fromEntries(
    Object.entries(groups).map(([group, methods]) => [
      group,
      Object.entries(methods).map(([method, exercise]): Method => {
        const name = methodName(group, method);
        const all = samples[name];
        return {
          name,
          spec: allSpecs[name] ?? bitfieldSpec,
          tested: testedOn(group, exercise),
          samples: all ? callsOf(all) : BITFIELD,
        };
      }),
    ]),
  );
  const page = resolve(import.meta.dirname, "../../../docs/commands.md");
  await expect(commandsPage({ ...described, ...modules() })).toMatchFileSnapshot(page);
});
