// Puts the function's code into a folder: the handler as one file, and each client as one file.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node package.mjs FOLDER");
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const to = resolve(folder);
rmSync(to, { recursive: true, force: true });
mkdirSync(join(to, "clients"), { recursive: true });
cpSync(join(dist, "aws/commands.js"), join(to, "index.mjs"));
for (const file of readdirSync(join(dist, "perf/bundles"))) {
  if (file.endsWith(".js")) cpSync(join(dist, "perf/bundles", file), join(to, "clients", file));
}
// Lambda reads .js files as CommonJS without it.
writeFileSync(join(to, "package.json"), '{ "type": "module" }\n');
