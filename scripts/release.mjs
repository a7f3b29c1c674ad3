import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Released together, with one version: a gateway is tested with the client of its version. */
export const released = ["package.json", "gateway/package.json"];

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
