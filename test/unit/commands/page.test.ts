import { resolve } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { commandsPage, type Method } from "../../../scripts/commands/page.js";
import { bitfieldSpec } from "../../../src/commands/bitmap.js";
import type { Exercise } from "../../integration/commands/exercises/exercise.js";
import { groups, methodName } from "../../integration/commands/exercises/index.js";
import { allSpecs, moduleSpecs } from "./samples/index.js";

function exercised({ lackedBy }: Exercise): string {
  const where = [
    ...(lackedBy.includes("embedded") ? [] : ["embedded engine"]),
    ...(lackedBy.includes("redis") ? [] : ["Redis 7.0"]),
  ];
  return where.join(", ") || "words and reply";
}

/** The modules' methods, as soon as the package has an entry for them. */
function modules(): Record<string, Method[]> {
  if (!("./modules" in manifest.exports)) return {};
  const methods = Object.entries(moduleSpecs).map(([method, spec]) => ({
    name: method.replace(".", "(redis)."),
    spec,
    exercised: "words and reply",
  }));
  return { 'modules, from "warmline/modules"': methods };
}

test("docs/commands.md is generated from the specs", async () => {
  const described = Object.fromEntries(
    Object.entries(groups).map(([group, methods]) => [
      group,
      Object.entries(methods).map(([method, exercise]) => {
        const name = methodName(group, method);
        return { name, spec: allSpecs[name] ?? bitfieldSpec, exercised: exercised(exercise) };
      }),
    ]),
  );
  const page = resolve(import.meta.dirname, "../../../docs/commands.md");
  await expect(commandsPage({ ...described, ...modules() })).toMatchFileSnapshot(page);
});
