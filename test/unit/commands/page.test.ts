import { resolve } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { commandsPage, type Method } from "../../../scripts/commands/page.js";
import { bitfieldRow } from "../../../src/commands/bitmap.js";
import type { Exercise } from "../../integration/commands/exercises/exercise.js";
import { groups, methodName } from "../../integration/commands/exercises/index.js";
import { allRows, moduleRows } from "./samples/index.js";

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
  const methods = Object.entries(moduleRows).map(([method, row]) => ({
    name: method.replace(".", "(redis)."),
    row,
    exercised: "words and reply",
  }));
  return { 'modules, from "warmline/modules"': methods };
}

test("docs/commands.md is what the rows say", async () => {
  const described = Object.fromEntries(
    Object.entries(groups).map(([group, methods]) => [
      group,
      Object.entries(methods).map(([method, exercise]) => {
        const name = methodName(group, method);
        return { name, row: allRows[name] ?? bitfieldRow, exercised: exercised(exercise) };
      }),
    ]),
  );
  const page = resolve(import.meta.dirname, "../../../docs/commands.md");
  await expect(commandsPage({ ...described, ...modules() })).toMatchFileSnapshot(page);
});
