import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { resolveSettings } from "../../../src/execution/settings.js";

// Lambda tells a function how much time it has left. The examples pass this on as a deadline.

const read = (path: string) => readFileSync(resolve(import.meta.dirname, "../../..", path), "utf8");

test.each([
  "README.md",
  "docs/index.md",
  "docs/getting-started.md",
  "skills/warmline/SKILL.md",
  "examples/lambda/handler.mjs",
  "examples/powertools/handler.mjs",
])("the Lambda function of %s gives its context as the deadline", (path) => {
  expect(read(path)).toMatch(/with\(\{ deadline: context\b/);
});

test("the function of the Lambda example has more time than a call", () => {
  const seconds = Number(/^ +Timeout: (\d+)$/m.exec(read("examples/lambda/template.yaml"))?.[1]);
  expect(seconds * 1_000).toBeGreaterThan(resolveSettings({}).timeout);
});

test("the page on retries lists the time limit of each platform of the examples", () => {
  const page = read("docs/retries.md");
  for (const platform of ["AWS Lambda", "Vercel", "Netlify", "Cloudflare Workers"])
    expect(page).toMatch(new RegExp(`^\\| ${platform} \\|`, "m"));
});
