// Writes the terms of every package that is part of what was built, as their licenses ask. Run in a package's folder.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const require = createRequire(resolve("package.json"));

/** The packages that a built file was made from, by its source map. */
function packagesIn(map) {
  const { sources } = JSON.parse(readFileSync(map, "utf8"));
  return sources.flatMap((source) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
    return name === undefined ? [] : [[name, source]];
  });
}

function folderOf(name) {
  for (const root of require.resolve.paths(name)) {
    if (existsSync(join(root, name, "package.json"))) return join(root, name);
  }
  throw new Error(`${name} is part of what was built, but not installed`);
}

const parts = new Map();
for (const file of readdirSync("dist").filter((each) => each.endsWith(".map"))) {
  for (const [name] of packagesIn(join("dist", file))) {
    parts.set(name, (parts.get(name) ?? new Set()).add(file.replace(/\.map$/, "")));
  }
}
const texts = [...parts].sort().map(([name, files]) => {
  const folder = folderOf(name);
  const terms = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|third_party_notices)/i.test(file));
  if (terms.length === 0) throw new Error(`${name} has no license file`);
  const whole = terms.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return `${name} (part of ${[...files].sort().join(", ")})\n\n${whole}\n`;
});
writeFileSync(join("dist", "THIRD-PARTY-LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
