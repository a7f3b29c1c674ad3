import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The packages that are released together with one version: a gateway is tested with the client of its version. */
export const released = ["package.json", "gateway/package.json", "adapters/package.json"];

/** The manifests that name a released package by its version: those of `warmline-upstash` and of the examples. */
export function dependents(root) {
  const examples = existsSync(join(root, "examples")) ? readdirSync(join(root, "examples")) : [];
  return ["compat", ...examples.map((name) => `examples/${name}`)]
    .map((folder) => `${folder}/package.json`)
    .filter((path) => existsSync(join(root, path)));
}

export function isVersion(text) {
  return /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(text);
}

/** Sets the version in docs/deploy.md and the files of gateway/deploy: image, Helm chart, dev container feature, archive. */
export function setDeployedVersion(root, version) {
  const deploy = join(root, "gateway/deploy");
  const files = readdirSync(deploy, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => /\.(yaml|toml|json)$/.test(name))) {
    const before = readFileSync(join(deploy, file), "utf8");
    let after = before.replaceAll(/(ghcr\.io\/warmline\/warmline-gateway:)[\w.-]+/g, `$1${version}`);
    if (file.endsWith("Chart.yaml"))
      after = after.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`);
    if (file.endsWith("devcontainer-feature.json"))
      after = after.replaceAll(/("(?:version|default)": )"[^"]*"/g, `$1"${version}"`);
    if (after !== before) writeFileSync(join(deploy, file), after);
  }
  const page = join(root, "docs/deploy.md");
  const text = readFileSync(page, "utf8");
  const archives = text.replaceAll(/(warmline-gateway-)\d[\w.-]*?(-linux-x64)/g, `$1${version}$2`);
  writeFileSync(page, archives.replaceAll(/(releases\/download\/v)[\w.-]+/g, `$1${version}`));
}
