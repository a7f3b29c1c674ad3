import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { newFolder } from "../../support/new-folder.js";
import { errorsIn, importFrom, root } from "./changed-copy.js";

// The example in CONTRIBUTING.md, applied to a copy of the repository.

const copy = newFolder("new-setting");

/** The parts of the copy that the example changes the behaviour of. */
const PARTS = `
export { helpText } from "./gateway/src/cli/help.js";
export { readSettings } from "./gateway/src/cli/settings.js";
export { resolveSettings } from "./gateway/src/settings/options.js";
export { withSettings } from "./scripts/gateway-settings.js";
`;
let parts: any;

beforeAll(async () => {
  for (const path of ["gateway/src", "scripts/gateway-settings.ts", "docs/gateway.md"])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const [, example] = /## A new setting of the gateway.*?```typescript\n(.*?)```/s.exec(
    readFileSync(join(root, "CONTRIBUTING.md"), "utf8"),
  )!;
  const table = join(copy, "gateway/src/settings/table.ts");
  const before = readFileSync(table, "utf8");
  const end = before.indexOf("\n} satisfies");
  expect(end).toBeGreaterThan(0);
  writeFileSync(table, `${before.slice(0, end + 1)}${example}${before.slice(end + 1)}`);
  const stdin = { contents: PARTS, resolveDir: copy };
  parts = await importFrom(copy, { stdin, packages: "external" });
});

test("the option has its default and its range", () => {
  expect(parts.resolveSettings().retryAfter).toBe(1_000);
  expect(parts.resolveSettings({ retryAfter: 5 }).retryAfter).toBe(5);
  expect(() => parts.resolveSettings({ retryAfter: -1 })).toThrow(
    "retryAfter: must be a whole number from 0 to 3600000",
  );
});

test("the flag, the variable and the key of the config file set the option", () => {
  const file = join(copy, "gateway.yaml");
  writeFileSync(file, "retryAfter: 4s\n");
  const variable = { WARMLINE_GATEWAY_RETRY_AFTER: "3s" };
  expect(parts.readSettings(["--config", file], {}).options.retryAfter).toBe(4_000);
  expect(parts.readSettings(["--config", file], variable).options.retryAfter).toBe(3_000);
  expect(parts.readSettings(["--retry-after", "2s"], variable).options.retryAfter).toBe(2_000);
  expect(() => parts.readSettings(["--retry-after", "2h"], {})).toThrow(/^--retry-after: must be/);
});

test("the help and the page of settings describe the setting", () => {
  expect(parts.helpText()).toMatch(/^ {2}--retry-after <time> +how long a refused .* \(default 1s\)$/m);
  expect(parts.withSettings(readFileSync(join(copy, "docs/gateway.md"), "utf8"))).toContain(
    "| `--retry-after <time>` | `WARMLINE_GATEWAY_RETRY_AFTER` | `retryAfter` | ",
  );
});

test("the option and the setting have a type", () => {
  const file = join(copy, "use.ts");
  writeFileSync(
    file,
    `import { type GatewayOptions, resolveSettings } from "./gateway/src/settings/options.js";
export const options: GatewayOptions = { retryAfter: 5 };
export const value: number = resolveSettings().retryAfter;
export const wrong: GatewayOptions = { retryAfter: "5" };
`,
  );
  expect(errorsIn(file)).toEqual(["Type 'string' is not assignable to type 'number'."]);
});
