import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { run } from "../../support/packages/run.js";

const folder = resolve(import.meta.dirname, "..");
const root = resolve(folder, "../..");

/** The folder of the Python tools that check formats. */
export const tools = join(root, "node_modules/.cache/warmline-deploy");

/** Before the suite: installs the tools, unless they are those of the requirements already. */
export default async function setup(): Promise<void> {
  const requirements = join(folder, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  const marker = join(tools, "requirements.sha256");
  if (existsSync(marker) && readFileSync(marker, "utf8") === digest) return;
  rmSync(tools, { recursive: true, force: true });
  const args = ["-m", "pip", "install", "--quiet", "--target", tools, "--requirement", requirements];
  await run("python3", args, root, {}, 300_000);
  writeFileSync(marker, digest);
}
