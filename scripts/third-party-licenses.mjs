import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Returns the packages that a built file was made from, by its source map. */
function packagesIn(map) {
  const { sources } = JSON.parse(readFileSync(map, "utf8"));
  return sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
}

function findPackage(name, require) {
  for (const root of require.resolve.paths(name)) {
    if (existsSync(join(root, name, "package.json"))) return join(root, name);
  }
  throw new Error(`${name} is part of the build, but not installed`);
}

/**
 * Returns the license texts of the packages bundled into the files of `outDir`, or an empty text if there are none.
 * @throws Error if a package has no license file.
 */
export function thirdPartyLicenses(folder, outDir) {
  const require = createRequire(join(folder, "package.json"));
  const parts = new Map();
  for (const file of readdirSync(outDir).filter((each) => each.endsWith(".map"))) {
    for (const name of packagesIn(join(outDir, file))) {
      parts.set(name, (parts.get(name) ?? new Set()).add(file.replace(/\.map$/, "")));
    }
  }
  const texts = [...parts].sort().map(([name, files]) => {
    const found = findPackage(name, require);
    const terms = readdirSync(found).filter((file) =>
      /^(licen[cs]e|copying|third_party_notices)/i.test(file),
    );
    if (terms.length === 0) throw new Error(`${name} has no license file`);
    const whole = terms.map((file) => readFileSync(join(found, file), "utf8").trim()).join("\n\n");
    return `${name} (part of ${[...files].sort().join(", ")})\n\n${whole}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
