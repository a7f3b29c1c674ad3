// Builds the site from docs/ into build/site, with the API reference of TypeDoc below api/.
//   node scripts/site.mjs [--no-api]
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const site = join(root, "site");
const run = (program, ...args) => execFileSync(program, args, { cwd: site, stdio: "inherit" });

if (!existsSync(join(site, "node_modules/vitepress"))) run("npm", "ci", "--no-audit", "--no-fund");
rmSync(join(site, "pages"), { recursive: true, force: true });
cpSync(join(root, "docs"), join(site, "pages"), { recursive: true });
run("npm", "run", "--silent", "build");
if (!process.argv.includes("--no-api")) {
  run(process.execPath, join(root, "scripts/api.mjs"));
  cpSync(join(root, "build/api"), join(root, "build/site/api"), { recursive: true });
}
