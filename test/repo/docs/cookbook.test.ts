import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

// WRITE_TABLES=1 npm run test:repo -- test/repo/docs/cookbook.test.ts copies the files into the page.

const root = resolve(import.meta.dirname, "../../..");
const page = join(root, "docs/cookbook.md");
const recipes = readdirSync(join(root, "examples/cookbook")).filter((name) => name.endsWith(".ts"));

test.each(recipes)("the cookbook page shows %s unchanged", (name) => {
  const code = readFileSync(join(root, "examples/cookbook", name), "utf8");
  const link = `[${name}](../examples/cookbook/${name})\n\n`;
  const [before, after, ...more] = readFileSync(page, "utf8").split(link);
  expect(after).toBeDefined();
  expect(more).toEqual([]);
  const shown = /^```ts\n(.*?)^```\n/ms.exec(after!);
  const isNext = after!.startsWith("```ts\n");
  if (process.env.WRITE_TABLES === "1") {
    const rest = isNext ? after!.slice(shown![0].length) : `\n${after}`;
    writeFileSync(page, `${before}${link}\`\`\`ts\n${code}\`\`\`\n${rest}`);
    return;
  }
  expect(isNext && shown![1]).toBe(code);
});
