// Builds the site from docs/ into build/site, with the API reference of TypeDoc below api/. Beside it are llms.txt, and
// llms-full.txt: every page that llms.txt names, in its order.
//   node scripts/site.mjs [--no-api]
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const site = join(root, "site");
const run = (program, ...args) => execFileSync(program, args, { cwd: site, stdio: "inherit" });

/** Returns the version of VitePress in a lock file, or undefined if there is none. */
const lockedIn = (file) =>
  existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8")).packages["node_modules/vitepress"]?.version
    : undefined;

// npm writes a lock file of its own beside the packages that it has installed.
const [locked, installed] = ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
  lockedIn(join(site, file)),
);
if (installed !== locked) run("npm", "ci", "--no-audit", "--no-fund");
rmSync(join(site, "pages"), { recursive: true, force: true });
// The list of guides, which the site has beside each page.
const isList = (path) => path === join(root, "docs/README.md");
cpSync(join(root, "docs"), join(site, "pages"), { recursive: true, filter: (path) => !isList(path) });
cpSync(join(site, "public"), join(site, "pages/public"), { recursive: true });
run("npm", "run", "--silent", "build");
const list = readFileSync(join(root, "llms.txt"), "utf8");
const paths = [...list.matchAll(/\/blob\/main\/([^)]+\.md)\)/g)].map(([, path]) => path);
const texts = paths.map((path) => `<!-- ${path} -->\n\n${readFileSync(join(root, path), "utf8").trim()}\n`);
writeFileSync(join(root, "build/site/llms.txt"), list);
writeFileSync(join(root, "build/site/llms-full.txt"), texts.join("\n"));
if (!process.argv.includes("--no-api")) {
  run(process.execPath, join(root, "scripts/api.mjs"));
  cpSync(join(root, "build/api"), join(root, "build/site/api"), { recursive: true });
}
