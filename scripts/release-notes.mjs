// Prints what the changelog says of a release; fails when the packages' versions or the changelog are not the tag's.
//   node scripts/release-notes.mjs v0.2.0
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = process.env.RELEASE_ROOT ?? resolve(import.meta.dirname, "..");

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}

const tag = process.argv[2] ?? "";
if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) fail(`'${tag}' is no tag of a release, such as v0.2.0`);
const version = tag.slice(1);

// Released together: a gateway is tested with the client of its version.
for (const path of ["package.json", "gateway/package.json"]) {
  const manifest = JSON.parse(readFileSync(join(root, path), "utf8"));
  if (manifest.version !== version) fail(`${path} says ${manifest.version}, the tag ${version}`);
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
