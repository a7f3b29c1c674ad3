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
  const found = [...parts.keys()].map((name) => packageAt(name, findPackage(name, require)));
  /** The names of the packages with the same text. */
  const namesByText = new Map();
  for (const current of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    // Some packages lack the license file that other packages of their repository have.
    const isTwin = ({ repository, license, text }) =>
      text !== "" && repository !== "" && repository === current.repository && license === current.license;
    const text = current.text || found.find(isTwin)?.text;
    if (!text) throw new Error(`${current.name} has no license file`);
    namesByText.set(text, [...(namesByText.get(text) ?? []), current.name]);
  }
  const texts = [...namesByText].map(([text, names]) => {
    const heads = names.map((name) => `${name} (part of ${[...parts.get(name)].sort().join(", ")})`);
    return `${heads.join("\n")}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Returns a package's repository, license and the text of its license files, which is empty without any. */
function packageAt(name, folder) {
  const { license, repository = "" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|third_party_notices)/i.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return { name, license, repository: repository.url ?? repository, text };
}
