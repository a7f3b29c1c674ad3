import { resolve } from "node:path";
import { expect, test } from "vitest";
import { commandsPage } from "../../../scripts/commands/page.js";
import { bitfieldRow } from "../../../src/commands/bitmap.js";
import type { Exercise } from "../../integration/commands/exercises/exercise.js";
import { groups, methodName } from "../../integration/commands/exercises/index.js";
import { allRows } from "./samples/index.js";

function exercised({ lackedBy }: Exercise): string {
  const where = [
    ...(lackedBy.includes("embedded") ? [] : ["embedded engine"]),
    ...(lackedBy.includes("redis") ? [] : ["Redis 7.0"]),
  ];
  return where.join(", ") || "words and reply";
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
  await expect(commandsPage(described)).toMatchFileSnapshot(page);
});
