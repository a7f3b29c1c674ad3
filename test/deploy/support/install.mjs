// node test/deploy/support/install.mjs: installs the Python tools that check formats, and prints their folder. Exits with 1 and
// the reason if PyPI can't be reached or has lost them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const requirements = resolve(import.meta.dirname, "../requirements.txt");
const tools = resolve(import.meta.dirname, "../../../node_modules/.cache/warmline-deploy");
const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex");
const marker = join(tools, "requirements.sha256");

if (!existsSync(marker) || readFileSync(marker, "utf8") !== digest) {
  rmSync(tools, { recursive: true, force: true });
  const args = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-deps",
    "--target",
    tools,
    "--requirement",
    requirements,
  ];
  try {
    execFileSync("python3", args, { stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
  } catch (error) {
    console.error(`the tools that check formats can't be installed: ${error.stderr || error.message}`);
    process.exit(1);
  }
  writeFileSync(marker, digest);
}
console.log(tools);
