// Prints a release's section of the changelog. Fails if the packages' versions or the changelog do not match the tag.
//   node scripts/release-notes.mjs v0.2.0
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { dependents, isVersion, released } from "./release.mjs";

const root = process.env.RELEASE_ROOT ?? resolve(import.meta.dirname, "..");

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}

const tag = process.argv[2] ?? "";
if (!tag.startsWith("v") || !isVersion(tag.slice(1))) fail(`'${tag}' is not a release tag, such as v0.2.0`);
const version = tag.slice(1);

const manifestAt = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

for (const path of released) {
  const manifest = manifestAt(path);
  if (manifest.version !== version) fail(`${path} says ${manifest.version}, the tag ${version}`);
}
for (const path of dependents(root)) {
  const { dependencies, devDependencies } = manifestAt(path);
  for (const name of ["warmline", "warmline-gateway", "warmline-adapters"]) {
    const range = dependencies?.[name] ?? devDependencies?.[name] ?? `^${version}`;
    if (range !== `^${version}`)
      fail(`${path} wants ${name} ${range}: npm run release:version -- ${version}`);
  }
}

const lines = readFileSync(join(root, "CHANGELOG.md"), "utf8").split("\n");
const start = lines.findIndex((line) => line.startsWith(`## ${version} - `));
if (start < 0) fail(`CHANGELOG.md has no section "## ${version} - <date>"`);
if (!/ - \d{4}-\d{2}-\d{2}$/.test(lines[start])) fail(`CHANGELOG.md: "${lines[start]}" has no date yet`);
const end = lines.findIndex((line, at) => at > start && line.startsWith("## "));
console.log(
  lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join("\n")
    .trim(),
);
