import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkTokens } from "../../../gateway/src/access/tokens.js";
import { flags } from "../../../gateway/src/settings/flags.js";
import { withSettings } from "../../../scripts/gateway-settings.js";

test("docs/gateway.md lists every setting", async () => {
  const page = resolve(import.meta.dirname, "../../../docs/gateway.md");
  await expect(withSettings(readFileSync(page, "utf8"))).toMatchFileSnapshot(page);
});

test("the examples of docs/gateway.md are valid tokens and settings", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/gateway.md"), "utf8");
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => parse(text!));
  const [ci, tokens, config] = blocks;
  expect(blocks).toHaveLength(3);
  expect(ci[0].run).toMatch(/^npx warmline-gateway .* -- npm test$/);
  expect(checkTokens(tokens)).toHaveLength(5);
  const known = new Set(flags.map(({ option }) => option));
  expect(Object.keys(config).filter((key) => !known.has(key))).toEqual([]);
  for (const flag of page.matchAll(/--(?:no-)?([a-z][a-z-]*[a-z])/g)) {
    const isOther = ["config", "no", "add-host"].includes(flag[1]!);
    expect(isOther || flags.some(({ name }) => name === flag[1]), flag[0]).toBe(true);
  }
});
