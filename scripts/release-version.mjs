// Sets a release's version in the packages, in the packages that depend on them, and in the lock file.
//   node scripts/release-version.mjs 0.2.0
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { dependents, isVersion, released, setDeployedVersion } from "./release.mjs";

const root = process.env.RELEASE_ROOT ?? resolve(import.meta.dirname, "..");
const version = process.argv[2] ?? "";
if (!isVersion(version)) {
  console.error(`release: '${version}' is not a version, such as 0.2.0`);
  process.exit(1);
}

function change(path, edit) {
  const before = readFileSync(join(root, path), "utf8");
  const manifest = JSON.parse(before);
  edit(manifest);
  const after = `${JSON.stringify(manifest, null, 2)}\n`;
  if (after === before) return;
  writeFileSync(join(root, path), after);
  console.log(path);
}

for (const path of released) {
  change(path, (manifest) => {
    manifest.version = version;
  });
}
for (const path of dependents(root)) {
  change(path, (manifest) => {
    let changed = false;
    for (const list of [manifest.dependencies ?? {}, manifest.devDependencies ?? {}]) {
      for (const name of ["warmline", "warmline-gateway", "warmline-adapters"]) {
        if (list[name] === undefined || list[name] === `^${version}`) continue;
        list[name] = `^${version}`;
        changed = true;
      }
    }
    // A package with its own version needs a new one, since its dependencies have changed.
    if (changed && manifest.version)
      manifest.version = manifest.version.replace(/\d+$/, (patch) => Number(patch) + 1);
  });
}
setDeployedVersion(root, version);
execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root, stdio: "inherit" });
