import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import ts from "typescript";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { flags } from "../../../gateway/src/settings/flags.js";
import { check } from "./blocks.js";
import { anchorsOf, blocksIn, blocksOf, pages, root } from "./pages.js";

// Code on the pages has to compile against the last build, and the targets of links have to exist.

test("every TypeScript block of the pages type-checks", { timeout: 180_000 }, () => {
  const blocks = blocksIn("ts");
  expect(new Set(blocks.map(({ page }) => page))).toContain("docs/getting-started.md");
  expect(check(blocks)).toEqual([]);
});

/**
 * Languages that a test of this folder reads. `typescript` is a part of a file that a test of test/repo/project applies. A block
 * without a language shows the output of a program or messages of the protocol, and nothing reads it.
 */
const KNOWN = new Set(["ts", "typescript", "js", "sh", "json", "yaml", "dotenv", ""]);

/** The variables that the client and the gateway read, and the port that Railway sends requests to. */
const READ = ["WARMLINE_URL", "WARMLINE_TOKEN", "PORT", ...flags.map(({ variable }) => variable)];

test("every block is in a language that a test reads", () => {
  const others = pages().flatMap((page) => blocksOf(page).filter(({ language }) => !KNOWN.has(language)));
  expect(others.map(({ page, line, language }) => `${page}:${line}: ${language}`)).toEqual([]);
});

test.each(blocksIn("json", "yaml").map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s can be parsed",
  (_, { language, code }) => {
    expect(language === "json" ? JSON.parse(code) : parse(code)).toBeTypeOf("object");
  },
);

test.each(blocksIn("js").map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s is JavaScript",
  (_, { code }) => {
    const { diagnostics } = ts.transpileModule(code, { fileName: "block.mjs", reportDiagnostics: true });
    expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  },
);

test.each(blocksIn("dotenv").map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s sets variables that the client, the gateway or its platform reads",
  (_, { code }) => {
    const variables = Object.keys(parseEnv(code));
    expect(variables).not.toEqual([]);
    for (const name of variables) expect(READ).toContain(name);
  },
);

test.each(pages())("links to files resolve: %s", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  for (const target of targets.filter((each) => !/^(https?:|mailto:)/.test(each))) {
    const [path, anchor] = target.split("#") as [string, string?];
    const file = path === "" ? join(root, page) : join(root, dirname(page), path);
    expect(existsSync(file), target).toBe(true);
    if (anchor) expect(anchorsOf(readFileSync(file, "utf8")), target).toContain(anchor);
  }
});
